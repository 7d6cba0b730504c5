// Tiles whose even rows lie before the odd ones: what is copied to them,
// multiplied, read and written keeps its rows.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// D = A, by tiles that TMA fills and threads read.
Feature read(ElementType type, int64_t bm, int64_t bn, bool transposed) {
  auto build = [=] {
    return kernel("even_rows", [&] {
      Size M = size("M"), N = size("N");
      Tensor A = input("A", type, {M, N});
      Tensor D =
          transposed ? output("D", type, {N, M}) : output("D", type, {M, N});
      TileLoop tiles = persistent({M, N}, {bm, bn});
      Pipeline ring = pipeline(2, smem(type, {bm, bn}));
      role("load", warps(1), [&] {
        for (auto [m, n] : tiles) {
          Stage s = ring.acquire();
          copy(A.tile({m, n}), s[0].even_rows_first());
          ring.commit(s);
        }
      });
      role("store", warpgroups(1), [&] {
        for (auto [m, n] : tiles) {
          Stage s = ring.wait();
          const SharedTile tile = s[0].even_rows_first();
          Fragment x = load(transposed ? tile.T() : tile);
          ring.release(s);
          if (transposed)
            store(D.tile({n, m}), x);
          else
            store(D.tile({m, n}), x);
        }
      });
    });
  };
  return {"tiles of " + textOf(type, bm, bn) +
              (transposed ? " by columns" : ""),
          build,
          {{{"M", 1}, {"N", 16}}, {{"M", bm + 3}, {"N", 2 * bn + 16}}},
          [=](const Problem &p, Coordinate at) {
            return transposed ? p["A"](at[1], at[0]) : p["A"](at);
          },
          0};
}

/// D = A, by a tile that threads write and read.
Feature written(ElementType type, int64_t bm, int64_t bn) {
  auto build = [=] {
    return kernel("even_rows", [&] {
      Size M = size("M");
      Tensor A = input("A", type, {M, bn});
      Tensor D = output("D", type, {M, bn});
      TileLoop tiles = grid({M}, {bm});
      SharedTile memory = shared(type, {bm, bn});
      role("all", warpgroups(1), [&] {
        for (auto [m] : tiles) {
          const SharedTile tile = memory.even_rows_first();
          store(tile, load(A.at({m * bm, 0}), {bm, bn}));
          sync();
          store(D.at({m * bm, 0}), load(tile));
          sync();
        }
      });
    });
  };
  return {"a tile of " + textOf(type, bm, bn) + " written",
          build,
          {{{"M", 1}}, {{"M", 2 * bm + 5}}},
          [](const Problem &p, Coordinate at) { return p["A"](at); },
          0};
}

/// D = 2 Xᵀ · B: A is read from columns of a tile, and the result goes out by
/// columns of another one.
Feature byColumns(ElementType type) {
  auto build = [=] {
    return kernel("even_rows", [&] {
      Size M = size("M");
      Tensor X = input("X", type, {64, M}), B = input("B", type, {64, 64});
      Tensor D = output("D", type, {M, 64});
      TileLoop tiles = grid({M}, {64});
      SharedTile x = shared(type, {64, 64}), b = shared(type, {64, 64}),
                 d = shared(type, {64, 64});
      role("all", warpgroups(1), [&] {
        for (auto [m] : tiles) {
          store(x.even_rows_first(), load(X.at({0, m * 64}), {64, 64}));
          store(b, load(B.at({0, 0}), {64, 64}));
          sync();
          Fragment a = load(x.even_rows_first().T());
          Fragment y = mma(a, b);
          y = mma(a, b, y);
          store(d.even_rows_first().T(), convert(y, type));
          sync();
          store(D.at({m * 64, 0}), load(d.even_rows_first().T()));
        }
      });
    });
  };
  return {"a product of columns of 64x64 " + std::string(name(type)),
          build,
          {{{"M", 72}}},
          [](const Problem &p, Coordinate at) {
            double sum = 0;
            for (int64_t k = 0; k < 64; ++k)
              sum += 2 * p["X"](k, at[0]) * p["B"](k, at[1]);
            return sum;
          },
          1e-2};
}

/// D = A · Bᵀ, plus the number of each column; by multicast two CTAs share B.
Feature multiplied(ElementType type, ElementType sums, int64_t bm, int64_t bn,
                   int64_t warpgroupCount, bool multicasts = false) {
  const int64_t bk = 64;
  auto build = [=] {
    return kernel("even_rows", [&] {
      Size M = size("M"), N = size("N"), K = size("K");
      Tensor A = input("A", type, {M, K}), B = input("B", type, {N, K});
      Tensor D = output("D", f32, {M, N});
      if (multicasts)
        cluster({2, 1});
      TileLoop tiles = persistent({M, N}, {bm, bn});
      Pipeline ring = pipeline(2, smem(type, {bm, bk}), smem(type, {bn, bk}));
      role("load", warps(1), registers(40), [&] {
        for (auto [m, n] : tiles)
          for (Index k : range(ceil_div(K, bk))) {
            Stage s = ring.acquire();
            copy(A.tile({m, k}), s[0]);
            if (multicasts)
              copy(B.tile({n, k}), s[1].even_rows_first(), multicast);
            else
              copy(B.tile({n, k}), s[1].even_rows_first());
            ring.commit(s);
          }
      });
      role("math", warpgroups(warpgroupCount), registers(232), [&] {
        for (auto [m, n] : tiles) {
          Fragment sum = zeros(sums, {bm, bn});
          for (Index k : range(ceil_div(K, bk))) {
            Stage s = ring.wait();
            sum = mma(s[0], s[1].even_rows_first().T(), sum);
            ring.release(s);
          }
          store(D.tile({m, n}),
                convert(sum, f32) + convert(columns({1, bn}), f32));
        }
      });
    });
  };
  return {"a product with " + textOf(type, bn, bk) + ", sums of " +
              std::string(name(sums)) + ", " + std::to_string(warpgroupCount) +
              " warpgroups" + (multicasts ? ", by multicast" : ""),
          build,
          {{{"M", 5}, {"N", 16}, {"K", 64}},
           {{"M", 150}, {"N", 2 * bn + 48}, {"K", 208}}},
          [=](const Problem &p, Coordinate at) {
            double sum = double(at[1] % bn);
            for (int64_t k = 0; k < p["A"].shape()[1]; ++k)
              sum += p["A"](at[0], k) * p["B"](at[1], k);
            return sum;
          },
          sums == f16 ? 1e-2 : 1e-3};
}

[[maybe_unused]] const bool registered = registerFeatures(
    {read(e4m3, 128, 128, false), read(bf16, 48, 96, false),
     read(s8, 512, 32, false), read(f32, 16, 64, false),
     read(bf16, 64, 64, true), read(e4m3, 64, 64, true), written(bf16, 64, 128),
     written(e4m3, 128, 64), written(f32, 32, 32), byColumns(bf16),
     byColumns(f16), multiplied(e4m3, f32, 64, 96, 1, true),
     multiplied(e4m3, f32, 128, 128, 2), multiplied(e4m3, f32, 64, 48, 1),
     multiplied(bf16, f32, 128, 256, 2), multiplied(tf32, f32, 64, 16, 1),
     multiplied(f16, f16, 64, 96, 1)});

} // namespace
} // namespace ashlar::test
