// GEMM of e4m3 with a scale for each row of A and of B. The tensor cores add
// fp8 products with about 14 bits; here their sums go to f32 every 128 of K.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel fp8Gemm() {
  return kernel("fp8_gemm", [] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", e4m3, {M, K});
    Tensor B = input("B", e4m3, {N, K});
    Tensor scaleA = input("ScaleA", f32, {M}),
           scaleB = input("ScaleB", f32, {N});
    Tensor D = output("D", bf16, {M, N});

    cluster({2, 1});
    TileLoop tiles = persistent({M, N}, {128, 192}, Raster::grouped(8));
    Pipeline ring = pipeline(4, smem(e4m3, {128, 128}), smem(e4m3, {192, 128}));
    SharedTile staging = shared(bf16, {128, 192});

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, 128))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1], multicast);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {128, 192});
        for (Index k : range(ceil_div(K, 128))) {
          Stage s = ring.wait();
          acc = acc + mma(s[0], s[1].T(), zeros(f32, {128, 192}));
          ring.release(s);
        }
        Fragment rows = load(scaleA.tile({m}), {128});
        acc = acc * along_rows(rows) * load(scaleB.tile({n}), {192});
        store(staging, convert(acc, bf16));
        copy(staging, D.tile({m, n}));
      }
    });
  });
}

static double scaled(const Problem &problem, std::span<const int64_t> at) {
  return examples::dotProduct(problem, at) * problem["ScaleA"](at[0]) *
         problem["ScaleB"](at[1]);
}

int main(int argc, char **argv) {
  return tool(argc, argv, fp8Gemm(),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", scaled}},
               .operations = examples::operations});
}
