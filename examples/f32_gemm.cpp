// GEMM of f32 at f32's precision on the tensor cores, which multiply tf32: each
// number is big + small, both of tf32, and of the four products the one of the
// two small numbers is beneath f32's last bit. The tensor cores cut off the
// lower 13 bits of what they read, so B as it is loaded is its own big part.
// They cut off their sums too: so these go to f32 every `bk` of K.

#include "Reference.h"
#include "ashlar/ashlar.h"

using namespace ashlar;

/// What is left of f32 bits as tf32, cut off or rounded.
static Fragment cutOff(const Fragment &x) {
  return bitcast(bitcast(x, s32) & ~0x1fff, f32);
}
static Fragment rounded(const Fragment &x) {
  return bitcast((bitcast(x, s32) + 0x1000) & ~0x1fff, f32);
}

Kernel f32Gemm(const Constants &c) {
  return kernel("f32_gemm", [&] {
    const int64_t bm = c["bm"], bn = c["bn"], bk = c["bk"];
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", f32, {M, K}), B = input("B", f32, {N, K});
    Tensor D = output("D", f32, {M, N});

    cluster({c["cluster"], 1});
    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring =
        pipeline(c["stages"], smem(f32, {bm, bk}), smem(f32, {bn, bk}));
    Pipeline smalls = pipeline(c["smalls"], smem(tf32, {bn, bk}));
    Barrier turns[] = {barrier("first's turn"), barrier("second's turn")};

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

    for (int64_t half : {0, 1})
      role(half ? "second" : "first", warpgroups(1), registers(232), [&] {
        if (half)
          turns[0].arrive();
        for (auto [m, n] : tiles) {
          Fragment acc = zeros(f32, {bm / 2, bn});
          for (Index k : range(ceil_div(K, bk))) {
            Stage s = ring.wait();
            SharedTile b = s[1].as(tf32, {bn, bk});
            Fragment a = load(slice(s[0], {half * bm / 2, 0}, {bm / 2, bk}));
            Fragment big = rounded(a);
            Stage t = smalls.wait();
            turns[half].sync();
            Fragment sum = mma(a - big, b.T());
            sum = mma(big, t[0].T(), sum);
            smalls.release(t);
            sum = mma(big, b.T(), sum);
            turns[1 - half].arrive();
            ring.release(s);
            acc = acc + sum;
          }
          store(D.at({m * bm + half * bm / 2, n * bn}), acc);
        }
        if (!half)
          turns[0].sync();
      });
  });
}

int main(int argc, char **argv) {
  return tool(argc, argv, f32Gemm,
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .constants = {{"bm", 128},
                             {"bn", 176},
                             {"bk", 32},
                             {"stages", 4},
                             {"smalls", 2},
                             {"cluster", 2}},
               .references = {{"D", examples::dotProduct}},
               .operations = examples::operations});
}
