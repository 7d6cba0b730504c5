// Tiles whose columns are interleaved: what threads store to them, and load,
// keeps its columns, and so does the product of an A that was f32.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// D = A, by a tile that threads write and read.
Feature written(ElementType type, int64_t bm, int64_t bn, bool transposed) {
  auto build = [=] {
    return kernel("interleaved", [&] {
      Size M = size("M");
      Tensor A = input("A", type, {M, bn});
      Tensor D = output("D", type, {M, bn});
      TileLoop tiles = grid({M}, {bm});
      SharedTile memory =
          transposed ? shared(type, {bn, bm}) : shared(type, {bm, bn});
      role("all", warpgroups(1), [&] {
        for (auto [m] : tiles) {
          const SharedTile tile = transposed ? memory.interleaved_columns().T()
                                             : memory.interleaved_columns();
          store(tile, load(A.at({m * bm, 0}), {bm, bn}));
          sync();
          store(D.at({m * bm, 0}), load(tile));
          sync();
        }
      });
    });
  };
  return {"a tile of " + textOf(type, bm, bn) +
              (transposed ? " written by columns" : " written"),
          build,
          {{{"M", 1}}, {{"M", 2 * bm + 5}}},
          [](const Problem &p, Coordinate at) { return p["A"](at); },
          0};
}

/// D = A · Bᵀ of f32: a product of tf32 and one of what is converted, by parts
/// of B of so many rows.
Feature multiplied(ElementType type, int64_t bm, int64_t bn, int64_t bk,
                   int64_t rows, int64_t warpgroupCount) {
  auto build = [=] {
    return kernel("interleaved", [&] {
      Size M = size("M"), N = size("N"), K = size("K");
      Tensor A = input("A", f32, {M, K}), B = input("B", f32, {N, K});
      Tensor D = output("D", f32, {M, N});
      TileLoop tiles = persistent({M, N}, {bm, bn});
      Pipeline ring = pipeline(2, smem(f32, {bm, bk}), smem(f32, {bn, bk}));
      Pipeline made = pipeline(2, smem(type, {bn, bk}));
      role("load", warps(1), [&] {
        for (auto [m, n] : tiles)
          for (Index k : range(ceil_div(K, bk))) {
            Stage s = ring.acquire();
            copy(A.tile({m, k}), s[0]);
            copy(B.tile({n, k}), s[1]);
            ring.commit(s);
          }
      });
      role("convert", warpgroups(1), [&] {
        for ([[maybe_unused]] auto [m, n] : tiles)
          for ([[maybe_unused]] Index k : range(ceil_div(K, bk))) {
            Stage s = ring.wait(), t = made.acquire();
            const SharedTile to = t[0].interleaved_columns();
            for (int64_t row = 0; row < bn; row += rows)
              store(slice(to, {row, 0}, {rows, bk}),
                    convert(load(slice(s[1], {row, 0}, {rows, bk})), type));
            made.commit(t);
            ring.release(s);
          }
      });
      role("math", warpgroups(warpgroupCount), [&] {
        for (auto [m, n] : tiles) {
          Fragment sum = zeros(f32, {bm, bn});
          for ([[maybe_unused]] Index k : range(ceil_div(K, bk))) {
            Stage s = ring.wait(), t = made.wait();
            Fragment a = load(s[0]);
            sum = mma(a, s[1].as(tf32, {bn, bk}).T(), sum);
            sum = mma(convert(a, type), t[0].interleaved_columns().T(), sum);
            made.release(t);
            ring.release(s);
          }
          store(D.tile({m, n}), sum);
        }
      });
    });
  };
  return {"a product of " + textOf(type, bm, bn) + " " + std::to_string(bk) +
              " deep by " + std::to_string(rows) + " rows, " +
              std::to_string(warpgroupCount) + " warpgroups",
          build,
          {{{"M", bm + 3}, {"N", bn + 4}, {"K", 3 * bk - 4}}},
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < p.size("K"); ++k)
              sum += 2 * p["A"](at[0], k) * p["B"](at[1], k);
            return sum;
          },
          2e-2};
}

[[maybe_unused]] const bool registered = registerFeatures(
    {written(bf16, 32, 64, false), written(f16, 8, 8, false),
     written(bf16, 64, 192, false), written(s16, 24, 64, false),
     written(bf16, 64, 32, true), multiplied(bf16, 64, 48, 32, 16, 1),
     multiplied(bf16, 128, 96, 32, 32, 2), multiplied(f16, 64, 64, 64, 64, 1),
     multiplied(bf16, 64, 40, 16, 8, 1)});

} // namespace
} // namespace ashlar::test
