// SwiGLU: D = silu(A · Gᵀ) · (A · Uᵀ), both products of one tile of A.

#include "Reference.h"
#include "ashlar/ashlar.h"

#include <cmath>

using namespace ashlar;

Kernel dualGemm() {
  return kernel("dual_gemm", [] {
    constexpr int64_t bm = 128, bn = 128, bk = 64;
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor G = input("G", bf16, {N, K}), U = input("U", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});

    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring = pipeline(4, smem(bf16, {bm, bk}), smem(bf16, {bn, bk}),
                             smem(bf16, {bn, bk}));

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(G.tile({n, k}), s[1]);
          copy(U.tile({n, k}), s[2]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment gate = zeros(f32, {bm, bn}), up = zeros(f32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          gate = mma(s[0], s[1].T(), gate);
          up = mma(s[0], s[2].T(), up);
          ring.release(s);
        }
        store(D.tile({m, n}), convert(silu(gate) * up, bf16));
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double gate = 0, up = 0;
  for (int64_t k = 0; k < p.size("K"); ++k) {
    gate += p["A"](at[0], k) * p["G"](at[1], k);
    up += p["A"](at[0], k) * p["U"](at[1], k);
  }
  return gate / (1 + std::exp(-gate)) * up;
}

static double operations(const Problem &p) {
  return 2 * examples::operations(p);
}

int main(int argc, char **argv) {
  return tool(argc, argv, dualGemm(),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", reference}},
               .operations = operations});
}
