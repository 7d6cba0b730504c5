// Tensors whose rows begin on any element: tiles of many shapes, moved by many
// or few threads, through shared memory and through registers.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// A tile of the last dimensions of a tensor goes to a stage and out of it.
Feature through(ElementType type, std::vector<int64_t> tile, int64_t alignment,
                int64_t warpsOfRole) {
  std::string name = "tiles of ";
  for (size_t i = 0; i < tile.size(); ++i)
    name += (i ? "x" : "") + std::to_string(tile[i]);
  return {name + " " + std::string(ashlar::name(type)) + " on " +
              std::to_string(alignment) + " bytes, by " +
              std::to_string(warpsOfRole) + " warps",
          [=] {
            return kernel("through", [=] {
              Size L = size("L"), M = size("M"), N = size("N");
              Tensor X = input("X", type, {L, M, N}, align(alignment));
              Tensor D = output("D", type, {L, M, N}, align(alignment));
              std::vector<int64_t> whole(3 - tile.size(), 1);
              whole.insert(whole.end(), tile.begin(), tile.end());
              TileLoop tiles =
                  persistent({L, M, N}, {whole[0], whole[1], whole[2]});
              Pipeline ring = pipeline(2, smem(type, Shape(tile)));
              role("load", warps(warpsOfRole), [&] {
                for (auto [l, m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(X.tile({l, m, n}), s[0]);
                  ring.commit(s);
                }
              });
              role("store", warps(warpsOfRole), [&] {
                for (auto [l, m, n] : tiles) {
                  Stage s = ring.wait();
                  copy(s[0], D.tile({l, m, n}));
                  ring.release(s);
                }
              });
            });
          },
          {{{"L", 3}, {"M", 21}, {"N", 133}},
           {{"L", 1}, {"M", 1}, {"N", 1}},
           {{"L", 2}, {"M", 3}, {"N", 5003}}},
          [](const Problem &p, Coordinate at) { return p["X"](at); },
          0};
}

/// A tile that begins anywhere, before the tensor too, goes through registers.
Feature throughRegisters(ElementType type, std::vector<int64_t> tile,
                         int64_t alignment, int64_t warpsOfRole) {
  constexpr int64_t down = 3, right = 21;
  std::string name = "fragments of ";
  for (size_t i = 0; i < tile.size(); ++i)
    name += (i ? "x" : "") + std::to_string(tile[i]);
  return {
      name + " " + std::string(ashlar::name(type)) + " on " +
          std::to_string(alignment) + " bytes, by " +
          std::to_string(warpsOfRole) + " warps",
      [=] {
        return kernel("through_registers", [=] {
          Size M = size("M"), N = size("N");
          Tensor X = input("X", type, {M, N}, align(alignment));
          Tensor D = output("D", type, {M, N}, align(alignment));
          const int64_t rows = tile.size() == 2 ? tile[0] : 1;
          TileLoop tiles = persistent({M, N}, {rows, tile.back()});
          role("all", warps(warpsOfRole), [&] {
            for (auto [m, n] : tiles)
              store(D.tile({m, n}),
                    load(X.at({m * rows - down, n * tile.back() - right}),
                         Shape(tile)));
          });
        });
      },
      {{{"M", 61}, {"N", 133}}, {{"M", 1}, {"N", 1}}, {{"M", 5}, {"N", 5003}}},
      [](const Problem &p, Coordinate at) {
        return at[0] < down || at[1] < right
                   ? 0
                   : p["X"](at[0] - down, at[1] - right);
      },
      0};
}

/// What a CTA reads of its tile lies in one word with what others write.
Feature inPlace() {
  return {"a tensor that is doubled in place",
          [] {
            return kernel("in_place", [] {
              Size M = size("M"), N = size("N");
              Tensor X = inout("X", bf16, {M, N}, align(2));
              TileLoop tiles = persistent({M, N}, {16, 32});
              Pipeline ring = pipeline(2, smem(bf16, {16, 32}));
              role("load", warps(2), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(X.tile({m, n}), s[0]);
                  ring.commit(s);
                }
              });
              role("store", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.wait();
                  Fragment x = load(s[0]);
                  ring.release(s);
                  store(X.tile({m, n}), x + x);
                }
              });
            });
          },
          {{{"M", 40}, {"N", 133}}},
          [](const Problem &p, Coordinate at) { return 2 * p["X"](at); },
          0,
          {},
          "X"};
}

/// Threads have places for more rows than a tile has, behind which another one
/// lies; the tensor has these rows.
Feature fewRows() {
  return {"two tiles of fewer rows than threads have places for, of tensors "
          "that are written",
          [] {
            return kernel("few_rows", [] {
              Size M = size("M"), N = size("N");
              Tensor X = inout("X", bf16, {M, N}, align(2));
              Tensor Y = inout("Y", bf16, {M, N}, align(2));
              const Shape shape = {24, 64};
              TileLoop tiles = persistent({M, N}, {24, 64});
              Pipeline ring = pipeline(2, smem(bf16, shape), smem(bf16, shape));
              role("load", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(Y.tile({m, n}), s[1]);
                  copy(X.tile({m, n}), s[0]);
                  ring.commit(s);
                }
              });
              role("store", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.wait();
                  Fragment x = load(s[0]), y = load(s[1]);
                  ring.release(s);
                  store(X.tile({m, n}), x + 2 * y);
                  store(Y.tile({m, n}), y);
                }
              });
            });
          },
          {{{"M", 61}, {"N", 133}}, {{"M", 25}, {"N", 3}}},
          [](const Problem &p, Coordinate at) {
            return p["X"](at) + 2 * p["Y"](at);
          },
          0.01,
          {},
          "X"};
}

/// Rows that indices choose, or don't, begin at distances that follow no rule.
Feature chosenRows() {
  return {"rows by indices, on any byte",
          [] {
            return kernel("chosen", [] {
              Size M = size("M"), N = size("N"), T = size("T");
              Tensor X = input("X", e4m3, {T, N}, align(1));
              Tensor I = input("I", s32, {M}, align(4));
              Tensor D = output("D", e4m3, {M, N}, align(1));
              TileLoop tiles = persistent({M, N}, {32, 64});
              Pipeline ring = pipeline(2, smem(e4m3, {32, 64}));
              role("load", warps(1), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(X.at({0, n * 64}).rows(I.at({m * 32})), s[0]);
                  ring.commit(s);
                }
              });
              role("store", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.wait();
                  copy(s[0], D.tile({m, n}));
                  ring.release(s);
                }
              });
            });
          },
          {{{"M", 50}, {"N", 203}, {"T", 23}}},
          [](const Problem &p, Coordinate at) {
            const auto row = int64_t(p["I"](at[0]));
            return row < p.size("T") ? p["X"](row, at[1]) : 0;
          },
          0,
          {},
          "D",
          {},
          {{"I", [](const Problem &p, Coordinate at) {
              return double((at[0] * 7 + 3) % (p.size("T") + 2));
            }}}};
}

[[maybe_unused]] const bool registered = registerFeatures(
    {through(bf16, {64, 64}, 2, 4), through(bf16, {32, 128}, 2, 3),
     through(e4m3, {16, 16}, 1, 1), through(e4m3, {16, 48}, 1, 2),
     through(bf16, {2, 4, 32}, 2, 1), through(bf16, {4096}, 2, 4),
     through(f32, {8, 64}, 4, 2), through(bf16, {16, 64}, 8, 1),
     throughRegisters(bf16, {32, 64}, 2, 4),
     throughRegisters(e4m3, {16, 128}, 1, 2),
     throughRegisters(e5m2, {4, 48}, 1, 1),
     throughRegisters(f32, {12, 32}, 4, 3),
     throughRegisters(bf16, {1024}, 2, 2),
     throughRegisters(bf16, {16, 64}, 8, 1), inPlace(), fewRows(),
     chosenRows()});

} // namespace
} // namespace ashlar::test
