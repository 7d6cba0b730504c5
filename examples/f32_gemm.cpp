// GEMM of f32 at f32's precision, on tensor cores that multiply tf32. A number
// is big + small, both tf32, and of the four products that of two small ones is
// less than f32 tells. Tensor cores cut off what tf32 has not, so B is its own
// big part; `split` makes the small one. They cut off their sums' last bits
// too, each time to the same side: every bk of K their sums go to f32.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

static Fragment cutOff(const Fragment &x) {
  return bitcast(bitcast(x, s32) & ~0x1fff, f32);
}
static Fragment rounded(const Fragment &x) {
  return bitcast((bitcast(x, s32) + 0x1000) & ~0x1fff, f32);
}

Kernel f32Gemm() {
  return kernel("f32_gemm", [] {
    constexpr int64_t bm = 128, bn = 176, bk = 32;
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", f32, {M, K}), B = input("B", f32, {N, K});
    Tensor D = output("D", f32, {M, N});

    cluster({2, 1});
    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring = pipeline(4, smem(f32, {bm, bk}), smem(f32, {bn, bk}));
    Pipeline smalls = pipeline(2, smem(tf32, {bn, bk}));

    role("load", warps(1), registers(24), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1], multicast);
          ring.commit(s);
        }
    });

    role("split", warpgroups(1), registers(24), [&] {
      for ([[maybe_unused]] auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait(), t = smalls.acquire();
          for (int64_t row = 0; row < bn; row += 16) {
            Fragment b = load(slice(s[1], {row, 0}, {16, bk}));
            store(slice(t[0], {row, 0}, {16, bk}), rounded(b - cutOff(b)));
          }
          smalls.commit(t);
          ring.release(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait(), t = smalls.wait();
          Fragment a = load(s[0]), big = rounded(a), small = a - big;
          SharedTile b = s[1].as(tf32, {bn, bk});
          Fragment sum = mma(small, b.T(), zeros(f32, {bm, bn}));
          sum = mma(big, t[0].T(), sum);
          smalls.release(t);
          acc = acc + mma(big, b.T(), sum);
          ring.release(s);
        }
        store(D.tile({m, n}), acc);
      }
    });
  });
}

int main(int argc, char **argv) {
  return tool(argc, argv, f32Gemm(),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", examples::dotProduct}},
               .tolerance = 1e-5,
               .operations = examples::operations});
}
