// Single elements of memory at coordinates of their own: read, written and
// combined, in tensors and in shared tiles.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// An index for an element; some lie outside of `extent`.
int64_t indexAt(Coordinate at, int64_t extent) {
  return (at[0] * 31 + at[1] * 7) % (extent + 5) - 2;
}

std::vector<Input> indices(const char *extent) {
  return {{"I", [=](const Problem &p, Coordinate at) {
             return double(indexAt(at, p.size(extent)));
           }}};
}

const std::vector<Sizes> problems = {{{"M", 40}, {"N", 80}, {"T", 90}},
                                     {{"M", 3}, {"N", 5}, {"T", 1}}};

/// D[m, n] = X[I[m, n]], through shared memory or not.
Feature lookedUp(ElementType type, int64_t count, bool shared) {
  return {"a table of " + std::string(name(type)) +
              (shared ? " in shared memory" : "") + " looked up by " +
              std::to_string(count) + " warps",
          [=] {
            return kernel("looked_up", [&] {
              Size M = size("M"), N = size("N"), T = size("T");
              Tensor X = input("X", type, {T});
              Tensor I = input("I", s32, {M, N}, align(4));
              Tensor D = output("D", type == u8 ? s32 : type, {M, N}, align(4));
              TileLoop tiles = persistent({M, N}, {8, 64});
              SharedTile table = ashlar::shared(type == u8 ? s8 : type, {128});
              role("all", warps(count), [&] {
                if (shared)
                  store(table, load(X.at({0}), {128}));
                for (auto [m, n] : tiles) {
                  Fragment at = load(I.tile({m, n}), {8, 64});
                  store(D.tile({m, n}),
                        shared ? gather(table, {at}) : gather(X, {at}));
                }
              });
            });
          },
          problems,
          [](const Problem &p, Coordinate at) {
            const int64_t i = indexAt(at, p.size("T"));
            return i >= 0 && i < p.size("T") ? p["X"](i) : 0;
          },
          0,
          {},
          "D",
          {},
          indices("T")};
}

/// D[m, n] = X[R[m], n]: a vector of rows, an iota of columns.
Feature rowsByVectors() {
  return {"rows by a vector of indices",
          [] {
            return kernel("rows_by_vectors", [] {
              Size M = size("M"), N = size("N"), T = size("T");
              Tensor X = input("X", bf16, {T, N}, align(2));
              Tensor I = input("I", s32, {M, N}, align(4));
              Tensor D = output("D", bf16, {M, N}, align(2));
              TileLoop tiles = persistent({M, N}, {8, 64});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Fragment rows = row_max(load(I.at({m * 8, 0}), {8, 1}));
                  store(D.tile({m, n}), gather(X, {along_rows(rows),
                                                   columns({8, 64}) + n * 64}));
                }
              });
            });
          },
          problems,
          [](const Problem &p, Coordinate at) {
            const int64_t first[] = {at[0], 0};
            const int64_t i = indexAt(first, p.size("T"));
            return i >= 0 && i < p.size("T") ? p["X"](i, at[1]) : 0;
          },
          0,
          {},
          "D",
          {},
          indices("T")};
}

/// How often each of T values occurs in I: counted in shared memory, or not.
Feature counted(ElementType type, int64_t count, bool shared) {
  return {"occurrences in " + std::string(name(type)) + " counted in " +
              (shared ? "shared" : "global") + " memory by " +
              std::to_string(count) + " warps",
          [=] {
            return kernel("counted", [&] {
              Size M = size("M"), N = size("N"), T = size("T");
              Tensor I = input("I", s32, {M, N}, align(4));
              Tensor D = inout("D", type, {T}, align(4));
              TileLoop tiles = persistent({M, N}, {8, 64});
              SharedTile bins = ashlar::shared(type, {128});
              role("all", warps(count), [&] {
                store(bins, zeros(type, {128}));
                for (auto [m, n] : tiles) {
                  Fragment at = select(inside(I.tile({m, n}), {8, 64}),
                                       load(I.tile({m, n}), {8, 64}), -1);
                  Fragment one = full(type, {8, 64}, 1);
                  if (shared)
                    scatter(bins, {at}, one, Reduction::add);
                  else
                    scatter(D, {at}, one, Reduction::add);
                }
                if (shared)
                  scatter(D, {columns({1, 128})},
                          zeros(type, {1, 128}) + load(bins), Reduction::add);
              });
            });
          },
          problems,
          [](const Problem &p, Coordinate at) {
            double found = 0;
            for (int64_t m = 0; m < p.size("M"); ++m)
              for (int64_t n = 0; n < p.size("N"); ++n) {
                const int64_t place[] = {m, n};
                found += indexAt(place, p.size("T")) == at[0];
              }
            return found;
          },
          0,
          {},
          "D",
          {"D"},
          indices("T")};
}

/// A transposition within a tile, by coordinates: D[n, m] = X[m, n].
Feature transposed(ElementType type) {
  return {"a transposition of " + std::string(name(type)) + " by coordinates",
          [=] {
            return kernel("transposed", [&] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", type, {M, N}, align(size_bytes(type)));
              Tensor D = output("D", type, {N, M}, align(size_bytes(type)));
              TileLoop tiles = persistent({M, N}, {16, 32});
              role("all", warps(2), [&] {
                const Shape shape{16, 32};
                for (auto [m, n] : tiles)
                  scatter(D, {columns(shape) + n * 32, rows(shape) + m * 16},
                          load(X.tile({m, n}), shape));
              });
            });
          },
          {{{"M", 20}, {"N", 70}}},
          [](const Problem &p, Coordinate at) { return p["X"](at[1], at[0]); },
          0};
}

/// One value to a place of each row.
Feature oneForEach() {
  return {"one value scattered to many places",
          [] {
            return kernel("one_for_each", [] {
              Size M = size("M"), N = size("N");
              Tensor D = inout("D", f32, {M, N}, align(4));
              TileLoop tiles = persistent({M}, {16});
              role("all", warps(1), [&] {
                for (auto [m] : tiles)
                  scatter(D, {rows({16, 1}) + m * 16, rows({16, 1}) * 2},
                          full(f32, {1, 1}, 3));
              });
            });
          },
          {{{"M", 40}, {"N", 20}}},
          [](const Problem &, Coordinate at) {
            return at[1] == at[0] % 16 * 2 ? 3.0 : 0.0;
          },
          0,
          {},
          "D",
          {"D"}};
}

/// The largest of each row, by scatters to shared memory that one element is
/// the target of, and what a vector holds several times counts once.
Feature combinedInShared() {
  return {"elements combined in shared memory",
          [] {
            return kernel("combined", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", s32, {M, N}, align(4));
              Tensor D = output("D", s32, {M, N}, align(4));
              TileLoop tiles = persistent({M}, {1});
              SharedTile most = shared(s32, {4});
              role("all", warps(2), [&] {
                for (auto [m] : tiles) {
                  store(most, full(s32, {4}, -1000000));
                  Fragment x = load(X.at({m, 0}), {1, 64});
                  x = select(columns({1, 64}) < N, x, -1000000);
                  scatter(most, {columns({1, 64}) & 1}, x, Reduction::max);
                  scatter(most, {columns({1, 2})}, full(s32, {1, 2}, 5),
                          Reduction::add);
                  Fragment least = gather(most, {columns({1, 64}) & 1});
                  store(D.at({m, 0}), least);
                }
              });
            });
          },
          {{{"M", 5}, {"N", 60}}},
          [](const Problem &p, Coordinate at) {
            double most = -1e6;
            for (int64_t n = at[1] % 2; n < p.size("N"); n += 2)
              most = std::max(most, p["X"](at[0], n));
            return most + 5;
          },
          0};
}

const bool registered = registerFeatures(
    {lookedUp(f32, 4, false), lookedUp(bf16, 1, false), lookedUp(u8, 2, false),
     lookedUp(f32, 4, true), lookedUp(bf16, 2, true), rowsByVectors(),
     counted(s32, 4, true), counted(s32, 2, false), counted(f32, 8, true),
     transposed(f32), transposed(bf16), oneForEach(), combinedInShared()});

} // namespace
} // namespace ashlar::test
