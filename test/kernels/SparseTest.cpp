// Products of an A whose rows have two of four elements, of tf32 one of two.

#include "test/kernels/Feature.h"

#include <array>

namespace ashlar::test {
namespace {

/// What four bits of metadata may be.
constexpr std::array<int, 6> pairs = {0x4, 0x8, 0x9, 0xC, 0xD, 0xE};
constexpr std::array<int, 2> halves = {0x4, 0xE};

/// Elements that four bits of metadata say of.
int64_t chunkOf(ElementType type) { return type == tf32 ? 2 : 4; }
int64_t metadataColumns(ElementType type) { return 4 * chunkOf(type); }

/// The metadata of a chunk, at random.
int metadataAt(ElementType type, int64_t row, int64_t chunk) {
  uint64_t mixed = (row * 1000003 + chunk + 7) * 0x9E3779B97F4A7C15ull;
  mixed ^= mixed >> 29;
  return type == tf32 ? halves[mixed % halves.size()]
                      : pairs[mixed % pairs.size()];
}

Input metadata(ElementType type) {
  return {"E", [=](const Problem &, Coordinate at) {
            int word = 0;
            for (int64_t i = 0; i < 4; ++i)
              word |= metadataAt(type, at[0], 4 * at[1] + i) << 4 * i;
            return double(int16_t(word));
          }};
}

/// The column of A, zeros included, of its element at `stored` in a row.
int64_t columnOf(ElementType type, int64_t row, int64_t stored) {
  if (type == tf32)
    return 2 * stored + (metadataAt(type, row, stored) == 0xE);
  const int places = metadataAt(type, row, stored / 2);
  return 4 * (stored / 2) + (stored % 2 ? places >> 2 : places & 3);
}

struct Tiles {
  int64_t bm, bn, bk, warpgroups;
};

/// Where A and its metadata come from.
struct Sources {
  bool aInRegisters = false, aIsTransposed = false, bIsTransposed = true;
  bool metadataInRing = false;
};

std::string describe(const Sources &from) {
  return std::string(from.aInRegisters ? ", A in registers" : "") +
         (from.aIsTransposed ? ", A with M contiguous" : "") +
         (from.bIsTransposed ? "" : ", B with N contiguous") +
         (from.metadataInRing ? ", metadata from a ring" : "");
}

Feature sparseGemm(ElementType a, ElementType b, ElementType sum, Tiles tile,
                   Sources from = {}) {
  const bool integers = sum == s32;
  const int64_t K = 2 * tile.bk + 44; // the last tile's is cut within a word
  return {"sparse " + std::string(name(a)) + " times " + std::string(name(b)) +
              " into " + std::string(name(sum)) + ", " +
              shapeText(tile.bm, tile.bn, tile.bk) + describe(from),
          [=] {
            return kernel("sparse", [=] {
              const int64_t columns = metadataColumns(a), stored = tile.bk / 2,
                            words = tile.bk / columns;
              Size M = size("M"), N = size("N");
              Tensor A = from.aIsTransposed ? input("A", a, {K / 2, M})
                                            : input("A", a, {M, K / 2});
              Tensor B = from.bIsTransposed ? input("B", b, {N, K})
                                            : input("B", b, {K, N});
              Tensor E = input("E", s16, {M, (K + columns - 1) / columns});
              Tensor D = output("D", sum, {M, N});
              TileLoop tiles = persistent({M, N}, {tile.bm, tile.bn});
              const StageTile ofA = from.aIsTransposed
                                        ? smem(a, {stored, tile.bm})
                                        : smem(a, {tile.bm, stored}),
                              ofB = from.bIsTransposed
                                        ? smem(b, {tile.bn, tile.bk})
                                        : smem(b, {tile.bk, tile.bn}),
                              ofE = smem(s16, {tile.bm, words});
              Pipeline ring = from.metadataInRing ? pipeline(2, ofA, ofB, ofE)
                                                  : pipeline(2, ofA, ofB);
              role("load", warps(1), [&] {
                for (auto [m, n] : tiles)
                  for (Index k : range((K + tile.bk - 1) / tile.bk)) {
                    Stage s = ring.acquire();
                    copy(from.aIsTransposed ? A.tile({k, m}) : A.tile({m, k}),
                         s[0]);
                    copy(from.bIsTransposed ? B.tile({n, k}) : B.tile({k, n}),
                         s[1]);
                    if (from.metadataInRing)
                      copy(E.tile({m, k}), s[2]);
                    ring.commit(s);
                  }
              });
              role("math", warpgroups(tile.warpgroups), [&] {
                for (auto [m, n] : tiles) {
                  Fragment acc = zeros(sum, {tile.bm, tile.bn});
                  for (Index k : range((K + tile.bk - 1) / tile.bk)) {
                    Stage s = ring.wait();
                    Fragment e = from.metadataInRing
                                     ? load(s[2])
                                     : load(E.tile({m, k}), {tile.bm, words});
                    SharedTile right = from.bIsTransposed ? s[1].T() : s[1];
                    if (from.aInRegisters)
                      acc = mma(sparse(load(s[0]), e), right, acc);
                    else if (from.aIsTransposed)
                      acc = mma(sparse(s[0].T(), e), right, acc);
                    else
                      acc = mma(sparse(s[0], e), right, acc);
                    ring.release(s);
                  }
                  store(D.tile({m, n}), acc);
                }
              });
            });
          },
          {{{"M", 1}, {"N", 16}}, {{"M", 140}, {"N", 136}}},
          [=](const Problem &p, Coordinate at) {
            double product = 0;
            for (int64_t i = 0; i < K / 2; ++i) {
              const int64_t k = columnOf(a, at[0], i);
              product +=
                  (from.aIsTransposed ? p["A"](i, at[0]) : p["A"](at[0], i)) *
                  (from.bIsTransposed ? p["B"](at[1], k) : p["B"](k, at[1]));
            }
            return product;
          },
          integers     ? 0
          : sum == f16 ? 5e-3
                       : 1e-3,
          {},
          "D",
          {},
          {metadata(a)}};
}

const bool registered = registerFeatures(
    {sparseGemm(bf16, bf16, f32, {128, 64, 64, 2}),
     sparseGemm(bf16, bf16, f32, {64, 128, 128, 1}, {.metadataInRing = true}),
     sparseGemm(bf16, bf16, f32, {128, 96, 96, 1}),
     sparseGemm(f16, f16, f32, {256, 64, 32, 2}),
     sparseGemm(f16, f16, f16, {64, 256, 64, 1}),
     sparseGemm(f16, f16, f32, {128, 64, 128, 1}, {.bIsTransposed = false}),
     sparseGemm(bf16, bf16, f32, {128, 64, 64, 1},
                {.aIsTransposed = true, .bIsTransposed = false}),
     sparseGemm(bf16, bf16, f32, {64, 64, 128, 1}, {.aInRegisters = true}),
     sparseGemm(e4m3, e4m3, f32, {128, 64, 128, 2}),
     sparseGemm(e5m2, e4m3, f16, {64, 64, 64, 1}),
     sparseGemm(e4m3, e5m2, f32, {128, 64, 192, 1}, {.aInRegisters = true}),
     sparseGemm(s8, s8, s32, {128, 64, 256, 2}, {.metadataInRing = true}),
     sparseGemm(u8, s8, s32, {64, 48, 64, 1}),
     sparseGemm(s8, u8, s32, {64, 64, 128, 1}, {.aInRegisters = true}),
     sparseGemm(tf32, tf32, f32, {128, 64, 64, 2}, {.metadataInRing = true}),
     sparseGemm(tf32, tf32, f32, {64, 64, 16, 1}),
     sparseGemm(tf32, tf32, f32, {64, 64, 32, 1}, {.aInRegisters = true})});

} // namespace
} // namespace ashlar::test
