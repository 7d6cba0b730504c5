// D = GELU(alpha · A · Bᵀ + bias), with what it is made of as a second output
// and the largest magnitude of D: each a line of the epilogue.

#include "Reference.h"
#include "ashlar/ashlar.h"

#include <cmath>

using namespace ashlar;

Kernel fusedGemm() {
  return kernel("fused_gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor bias = input("Bias", bf16, {N});
    Tensor D = output("D", bf16, {M, N}),
           linear = output("Linear", bf16, {M, N});
    Tensor amax = inout("Amax", f32, {1});
    Scalar alpha = scalar("alpha", f32);

    TileLoop tiles = persistent({M, N}, {128, 128}, Raster::grouped(8));
    Pipeline ring = pipeline(5, smem(bf16, {128, 64}), smem(bf16, {128, 64}));
    SharedTile staging[] = {shared(bf16, {128, 64}), shared(bf16, {128, 64})};

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {128, 128});
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        for (int64_t half : {0, 1}) {
          Index column = 2 * n + half;
          Fragment x = slice(acc, {0, 64 * half}, {128, 64}) * alpha;
          x = x + convert(load(bias.tile({column}), {64}), f32);
          store(staging[0], convert(x, bf16));
          copy(staging[0], linear.tile({m, column}));
          x = gelu(x);
          Mask valid = inside(D.tile({m, column}), {128, 64});
          reduce(amax.at({0}), select(valid, abs(x), 0), reduce_max);
          store(staging[1], convert(x, bf16));
          copy(staging[1], D.tile({m, column}));
        }
      }
    });
  });
}

static double linear(const Problem &problem, std::span<const int64_t> at) {
  return problem.scalar("alpha") * examples::dotProduct(problem, at) +
         problem["Bias"](at[1]);
}

static double activated(const Problem &problem, std::span<const int64_t> at) {
  double x = linear(problem, at);
  return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
}

int main(int argc, char **argv) {
  return tool(argc, argv, fusedGemm(),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", activated}, {"Linear", linear}},
               .operations = examples::operations});
}
