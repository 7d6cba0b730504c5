// Tiles of a single row that is shorter than what TMA moves.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

constexpr int64_t width = 128;

/// What belongs to a row comes with it, by TMA, by cp.async and by the threads;
/// and two of the row's elements are a part of its tile.
Feature numbersBesideRows() {
  return {"numbers that come with a row",
          [] {
            return kernel("beside", [] {
              Size M = size("M");
              Tensor X = input("X", f32, {M, width});
              Tensor factor = input("Factor", f32, {M}, align(4));
              Tensor shift = input("Shift", bf16, {M}, align(2));
              Tensor D = output("D", f32, {M, width});
              TileLoop rows = persistent({M}, {1});
              Pipeline ring = pipeline(3, smem(f32, {1, width}), smem(f32, {1}),
                                       smem(bf16, {1}));
              role("load", warps(1), [&] {
                for (auto [m] : rows) {
                  Stage s = ring.acquire();
                  copy(X.tile({m, 0}), s[0]);
                  copy(factor.tile({m}), s[1]);
                  copy(shift.tile({m}), s[2]);
                  ring.commit(s);
                }
              });
              role("math", warps(4), [&] {
                for (auto [m] : rows) {
                  Stage s = ring.wait();
                  Fragment x = load(s[0]) * along_rows(load(s[1])) +
                               along_rows(convert(load(s[2]), f32));
                  Scalar two = sum(load(slice(s[0], {0, 64}, {1, 2})));
                  store(D.at({m, 0}), x + two);
                  ring.release(s);
                }
              });
            });
          },
          {{{"M", 1}}, {{"M", 21}}},
          [](const Problem &p, Coordinate at) {
            const int64_t row = at[0];
            return p["X"](at) * p["Factor"](row) + p["Shift"](row) +
                   p["X"](row, 64) + p["X"](row, 65);
          },
          1e-5};
}

/// A tile of twelve bytes of a tensor that TMA could read.
Feature threeOfARow() {
  return {
      "twelve bytes of a row",
      [] {
        return kernel("twelve", [] {
          Size M = size("M");
          Tensor X = input("X", bf16, {M, 8});
          Tensor D = output("D", bf16, {M, 2});
          TileLoop rows = persistent({M}, {1});
          Pipeline ring = pipeline(2, smem(bf16, {1, 6}));
          role("load", warps(1), [&] {
            for (auto [m] : rows) {
              Stage s = ring.acquire();
              copy(X.at({m, 2}), s[0]);
              ring.commit(s);
            }
          });
          role("store", warps(1), [&] {
            for (auto [m] : rows) {
              Stage s = ring.wait();
              store(D.at({m, 0}), load(slice(s[0], {0, 0}, {1, 2})));
              ring.release(s);
            }
          });
        });
      },
      {{{"M", 5}}},
      [](const Problem &p, Coordinate at) { return p["X"](at[0], at[1] + 2); },
      0};
}

const bool registered = registerFeatures({numbersBesideRows(), threeOfARow()});

} // namespace
} // namespace ashlar::test
