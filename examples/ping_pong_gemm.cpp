// GEMM in ping-pong: two warpgroups take alternate tiles, and one stores its
// tile while the other multiplies.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel pingPongGemm() {
  return kernel("ping_pong_gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D = output("D", bf16, {M, N});

    TileLoop tiles = persistent({M, N}, {128, 128}, Raster::grouped(8));
    Pipeline ring = pipeline(6, smem(bf16, {128, 64}), smem(bf16, {128, 64}));
    SharedTile staging = shared(bf16, {128, 64}); // one for each warpgroup

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
    });

    role("math", ping_pong(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {128, 128});
        for (Index k : range(ceil_div(K, 64))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        for (int64_t half : {0, 1}) {
          store(staging, convert(slice(acc, {0, 64 * half}, {128, 64}), bf16));
          copy(staging, D.tile({m, 2 * n + half}));
        }
      }
    });
  });
}

int main(int argc, char **argv) {
  return tool(argc, argv, pingPongGemm(),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", examples::dotProduct}},
               .operations = examples::operations});
}
