// D = A · Bᵀ, persistent and warp-specialised: one warp feeds a ring of stages,
// two warpgroups multiply.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

struct GemmConfig {
  int bm = 128;
  int bn = 256;
  int bk = 64;
  int stages = 4;
};

Kernel gemm(const GemmConfig &c) {
  return kernel("gemm", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});

    cluster({2, 1});
    TileLoop tiles = persistent({M, N}, {c.bm, c.bn}, Raster::grouped(8));
    Pipeline ring =
        pipeline(c.stages, smem(bf16, {c.bm, c.bk}), smem(bf16, {c.bn, c.bk}));

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, c.bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1], multicast);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {c.bm, c.bn});
        for (Index k : range(ceil_div(K, c.bk))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        store(D.tile({m, n}), convert(acc, bf16));
      }
    });
  });
}

// What an element of D should be.
static double dotProduct(const Problem &problem, std::span<const int64_t> at) {
  const HostTensor &a = problem["A"], &b = problem["B"];
  const int64_t length = problem.size("K");
  double sum = 0;
  for (int64_t k = 0; k < length; ++k)
    sum += a(at[0], k) * b(at[1], k);
  return sum;
}

static double operations(const Problem &problem) {
  return 2.0 * problem.size("M") * problem.size("N") * problem.size("K");
}

int main(int argc, char **argv) {
  return tool(argc, argv, gemm(GemmConfig{}),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", dotProduct}},
               .operations = operations});
}
