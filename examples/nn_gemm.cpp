// D = A · B, where B is stored K×N: the rows of its tile are steps of K, and
// wgmma, which transposes elements of 16 bits, takes it as it lies. A stored
// K×M would be `s[0].T()`.

#include "ashlar/ashlar.h"
#include "ashlar/tool.h"

using namespace ashlar;

Kernel nnGemm() {
  return kernel("nn_gemm", [] {
    constexpr int64_t bm = 128, bn = 256, bk = 64;
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K}), B = input("B", bf16, {K, N});
    Tensor D = output("D", bf16, {M, N});
    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring = pipeline(4, smem(bf16, {bm, bk}), smem(bf16, {bk, bn}));
    SharedTile strip = shared(bf16, {bm, 64});

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({k, n}), s[1]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1], acc);
          ring.release(s);
        }
        for (int64_t column = 0; column < bn; column += 64) {
          store(strip, convert(slice(acc, {0, column}, {bm, 64}), bf16));
          copy(strip, D.at({m * bm, n * bn + column}));
        }
      }
    });
  });
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t k = 0; k < p.size("K"); ++k)
    sum += p["A"](at[0], k) * p["B"](k, at[1]);
  return sum;
}

static double operations(const Problem &p) {
  return 2.0 * p.size("M") * p.size("N") * p.size("K");
}

int main(int argc, char **argv) {
  return tool(argc, argv, nnGemm(),
              {.sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
               .references = {{"D", reference}},
               .operations = operations});
}
