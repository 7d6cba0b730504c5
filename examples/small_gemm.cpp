// GEMM of few rows, as of 16 tokens: the weights are streamed as wgmma's M, the
// tokens are its N, which has finer steps; the tile of Dᵀ is transposed on its
// way to memory. Launches overlap: half of the SMs suffice for one.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel smallGemm() {
  return kernel("small_gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K}); // tokens
    Tensor B =
        input("B", bf16, {N, K}); // weights: no launch before writes them
    Tensor D = output("D", bf16, {M, N});

    programmatic_launch();
    TileLoop tiles = persistent({N, M}, {64, 16});
    Pipeline ring = pipeline(8, smem(bf16, {64, 128}), smem(bf16, {16, 128}));
    SharedTile staging = shared(bf16, {16, 64});

    role("load", warps(1), registers(40), [&] {
      allow_next_launch();
      for (auto [n, m] : tiles)
        for (Index k : range(ceil_div(K, 128))) {
          Stage s = ring.acquire();
          copy(B.tile({n, k}), s[0]);
          copy(A.tile({m, k}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(1), registers(240), [&] {
      for (auto [n, m] : tiles) {
        Fragment acc = zeros(f32, {64, 16});
        for (Index k : range(ceil_div(K, 128))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        store(staging.T(), convert(acc, bf16));
        copy(staging, D.tile({m, n}));
      }
    });
  });
}

int main(int argc, char **argv) {
  return tool(argc, argv, smallGemm(),
              {.sizes = {{"M", 16}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", examples::dotProduct}},
               .operations = examples::operations});
}
