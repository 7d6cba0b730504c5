// GEMM of a 2:4 sparse A: of each four elements of a row it has two, and four
// bits that say where they lie. The tensor cores leave out the others.

#include "Reference.h"
#include "ashlar/ashlar.h"

#include <array>

using namespace ashlar;

Kernel sparseGemm() {
  return kernel("sparse_gemm", [] {
    constexpr int64_t bm = 128, bn = 192, bk = 128;
    Size M = size("M"), N = size("N"), K = size("K");
    Size S = size("S"), W = size("W"); // K / 2, and K / 16 rounded up
    Tensor A = input("A", bf16, {M, S}), B = input("B", bf16, {N, K});
    Tensor E = input("E", s16, {M, W});
    Tensor D = output("D", bf16, {M, N});

    TileLoop tiles = persistent({M, N}, {bm, bn}, Raster::grouped(8));
    Pipeline ring = pipeline(3, smem(bf16, {bm, bk / 2}), smem(bf16, {bn, bk}),
                             smem(s16, {bm, bk / 16}));

    role("load", warps(1), registers(40), [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          copy(E.tile({m, k}), s[2]);
          ring.commit(s);
        }
    });

    role("math", warpgroups(2), registers(232), [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {bm, bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          acc = mma(sparse(s[0], load(s[2])), s[1].T(), acc);
          ring.release(s);
        }
        store(D.tile({m, n}), convert(acc, bf16));
      }
    });
  });
}

/// Where the two elements of a chunk of four lie: what four bits of E say.
static int placesOf(int64_t row, int64_t chunk) {
  constexpr std::array places = {0x4, 0x8, 0x9, 0xC, 0xD, 0xE};
  return places[(row * 31 + chunk * 7 + row * chunk) % places.size()];
}

/// E as a host packs it: the first of four chunks in the lowest bits.
static double metadata(const Problem &, std::span<const int64_t> at) {
  int word = 0;
  for (int64_t i = 0; i < 4; ++i)
    word |= placesOf(at[0], 4 * at[1] + i) << 4 * i;
  return int16_t(word);
}

static double reference(const Problem &p, std::span<const int64_t> at) {
  double sum = 0;
  for (int64_t i = 0; i < p.size("S") && 2 * i < p.size("K"); ++i) {
    const int places = placesOf(at[0], i / 2);
    const int64_t k = i / 2 * 4 + (i % 2 ? places >> 2 : places & 3);
    if (k < p.size("K"))
      sum += p["A"](at[0], i) * p["B"](at[1], k);
  }
  return sum;
}

int main(int argc, char **argv) {
  return tool(
      argc, argv, sparseGemm(),
      {.sizes =
           {{"M", 4096}, {"N", 4096}, {"K", 4096}, {"S", 2048}, {"W", 256}},
       .simulated_sizes =
           {{"M", 200}, {"N", 200}, {"K", 200}, {"S", 100}, {"W", 13}},
       .inputs = {{"E", metadata}},
       .references = {{"D", reference}},
       .operations = examples::operations});
}
