// GEMM of s8 into s32, with a scale for each row of A and each column of D.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel int8Gemm() {
  return kernel("int8_gemm", [] {
    constexpr int64_t bm = 128, bn = 192, bk = 128;
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", s8, {M, K}), B = input("B", s8, {N, K});
    Tensor scaleA = input("ScaleA", f32, {M}),
           scaleB = input("ScaleB", f32, {N});
    Tensor D = output("D", bf16, {M, N});

    cluster({2, 1});
    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring = pipeline(4, smem(s8, {bm, bk}), smem(s8, {bn, bk}));
    SharedTile staging = shared(bf16, {bm, bn});

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1], multicast);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(s32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        Fragment scaled = convert(acc, f32) *
                          along_rows(load(scaleA.tile({m}), {bm})) *
                          load(scaleB.tile({n}), {bn});
        store(staging, convert(scaled, bf16));
        copy(staging, D.tile({m, n}));
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  return examples::dotProduct(p, at) * p["ScaleA"](at[0]) * p["ScaleB"](at[1]);
}

int main(int argc, char **argv) {
  return tool(argc, argv, int8Gemm(),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", reference}},
               .operations = examples::operations});
}
