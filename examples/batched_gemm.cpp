// A batch of GEMMs in one launch: matrices at any stride, one tile loop.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel batchedGemm() {
  return kernel("batched_gemm", [] {
    Size L = size("batch"), M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {L, M, K});
    Tensor B = input("B", bf16, {L, N, K});
    Tensor D = output("D", bf16, {L, M, N});

    TileLoop tiles = persistent({L, M, N}, {1, 128, 128}, Raster::grouped(8));
    Pipeline ring = pipeline(5, smem(bf16, {128, 64}), smem(bf16, {128, 64}));
    SharedTile staging = shared(bf16, {128, 128});

    role("load", warps(1), registers(40), [&] {
      for (auto [l, m, n] : tiles)
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.acquire();
          copy(A.tile({l, m, k}), s[0]);
          copy(B.tile({l, n, k}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [l, m, n] : tiles) {
        Fragment acc = zeros(f32, {128, 128});
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        store(staging, convert(acc, bf16));
        copy(staging, D.tile({l, m, n}));
      }
    });
  });
}

static double product(const Problem &problem, std::span<const int64_t> at) {
  const HostTensor &a = problem["A"], &b = problem["B"];
  double sum = 0;
  for (int64_t k = 0; k < problem.size("K"); ++k)
    sum += a(at[0], at[1], k) * b(at[0], at[2], k);
  return sum;
}

static double operations(const Problem &problem) {
  return problem.size("batch") * examples::operations(problem);
}

int main(int argc, char **argv) {
  return tool(argc, argv, batchedGemm(),
              {.sizes = {{"batch", 32}, {"M", 512}, {"N", 512}, {"K", 512}},
               .references = {{"D", product}},
               .operations = operations});
}
