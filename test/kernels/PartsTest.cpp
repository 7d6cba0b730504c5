// Parts of shared tiles that begin where an index says.

#include "compiler/layout/SharedTile.h"
#include "test/kernels/Feature.h"

#include "ashlar/compile.h"

#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>
#include <random>

namespace ashlar::test {
namespace {

double copied(const Problem &p, Coordinate at) { return p["X"](at[0], at[1]); }

struct Parts {
  std::string name;
  ElementType type = bf16;
  int64_t rows = 64, columns = 128; ///< of the tile
  int64_t partRows = 16, partColumns = 128;
  int64_t warps = 4;
  /// Of X: 16 for TMA, below that for cp.async and ordinary loads.
  int64_t alignment = 16;
  enum How {
    loaded,    ///< by the role that drains the stage
    filled,    ///< by copies into parts of the stage
    stored,    ///< in a tile of the kernel's, which is copied out whole
    copiedOut, ///< stored whole, and copied out part by part
  } how = loaded;
};

/// Calls `body` for each part with its place in the tile, the last one first
/// along rows.
void forParts(const Parts &c, const std::function<void(Index, Index)> &body) {
  for (Index i : range(c.rows / c.partRows))
    for (Index j : range(c.columns / c.partColumns))
      body((c.rows / c.partRows - 1 - i) * c.partRows, j * c.partColumns);
}

/// D = X, through parts of shared tiles.
Kernel copyByParts(const Parts &c) {
  return kernel("parts", [&] {
    Size M = size("M"), N = size("N");
    Tensor X = input("X", c.type, {M, N}, align(c.alignment));
    Tensor D = output("D", c.type, {M, N});
    TileLoop tiles = persistent({M}, {c.rows});
    Shape part{c.partRows, c.partColumns};
    const bool piped = c.how == Parts::loaded || c.how == Parts::filled;
    if (!piped) {
      SharedTile tile = shared(c.type, {c.rows, c.columns});
      role("all", warps(c.warps), [&] {
        for (auto [m] : tiles)
          for (Index n : range(ceil_div(N, c.columns))) {
            if (c.how == Parts::stored) {
              forParts(c, [&](Index i, Index j) {
                store(slice(tile, {i, j}, part),
                      load(X.at({m * c.rows + i, n * c.columns + j}), part));
              });
              copy(tile, D.tile({m, n}));
            } else {
              store(tile, load(X.tile({m, n}), {c.rows, c.columns}));
              forParts(c, [&](Index i, Index j) {
                copy(slice(tile, {i, j}, part),
                     D.at({m * c.rows + i, n * c.columns + j}));
              });
            }
          }
      });
      return;
    }
    Pipeline ring = pipeline(2, smem(c.type, {c.rows, c.columns}));
    role("load", warps(c.alignment < 16 ? 2 : 1), [&] {
      for (auto [m] : tiles)
        for (Index n : range(ceil_div(N, c.columns))) {
          Stage s = ring.acquire();
          if (c.how == Parts::loaded)
            copy(X.tile({m, n}), s[0]);
          else
            forParts(c, [&](Index i, Index j) {
              copy(X.at({m * c.rows + i, n * c.columns + j}),
                   slice(s[0], {i, j}, part));
            });
          ring.commit(s);
        }
    });
    role("store", warps(c.warps), [&] {
      for (auto [m] : tiles)
        for (Index n : range(ceil_div(N, c.columns))) {
          Stage s = ring.wait();
          if (c.how == Parts::filled)
            store(D.tile({m, n}), load(s[0]));
          else
            forParts(c, [&](Index i, Index j) {
              store(D.at({m * c.rows + i, n * c.columns + j}),
                    load(slice(s[0], {i, j}, part)));
            });
          ring.release(s);
        }
    });
  });
}

Feature feature(const Parts &c) {
  return {c.name,
          [c] { return copyByParts(c); },
          {{{"M", 64}, {"N", 128}}, {{"M", 200}, {"N", 392}}},
          copied,
          0};
}

/// D = A · Bᵀ, of operands that are parts of tiles: `deep` times 64 of a row at
/// once, and `high` times 64 rows, one after the other.
struct Operands {
  std::string name;
  ElementType type = bf16;
  int64_t deep = 4, high = 1;
  int64_t step = 64; ///< along K
  bool fromRegisters = false;
};

Kernel multiplyParts(const Operands &c) {
  return kernel("operands", [&] {
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", c.type, {M, K}), B = input("B", c.type, {N, K});
    Tensor D = output("D", f32, {M, N});
    const int64_t bm = 64 * c.high, bk = c.step * c.deep;
    TileLoop tiles = persistent({M, N}, {bm, 64});
    Pipeline ring = pipeline(2, smem(c.type, {bm, bk}), smem(c.type, {64, bk}));
    role("load", warps(1), [&] {
      for (auto [m, n] : tiles)
        for (Index h : range(c.high))
          for (Index k : range(ceil_div(K, bk))) {
            Stage s = ring.acquire();
            copy(A.at({m * bm, k * bk}), s[0]);
            copy(B.at({n * 64, k * bk}), s[1]);
            ring.commit(s);
          }
    });
    role("math", warpgroups(1), [&] {
      for (auto [m, n] : tiles)
        for (Index h : range(c.high)) {
          Fragment sum = zeros(f32, {64, 64});
          for (Index k : range(ceil_div(K, bk))) {
            Stage s = ring.wait();
            for (Index i : range(c.deep)) {
              SharedTile a = slice(s[0], {h * 64, i * c.step}, {64, c.step});
              SharedTile b = slice(s[1], {0, i * c.step}, {64, c.step});
              sum = c.fromRegisters ? mma(load(a), b.T(), sum)
                                    : mma(a, b.T(), sum);
            }
            ring.release(s);
          }
          store(D.at({m * bm + h * 64, n * 64}), sum);
        }
    });
  });
}

Feature feature(const Operands &c) {
  return {c.name,
          [c] { return multiplyParts(c); },
          {{{"M", 64}, {"N", 64}, {"K", 256}},
           {{"M", 200}, {"N", 136}, {"K", 336}}},
          gemmReference,
          c.type == e4m3 ? 1e-3 : 1e-5}; // its sums have 14 bits on a GPU
}

/// D(m, n) = X(16 · P(m / 16), n): places that memory holds, and the author
/// promises.
Feature chosen(int64_t cluster) {
  return {"parts whose places memory holds" +
              std::string(cluster > 1 ? ", fetched once for a cluster" : ""),
          [cluster] {
            return kernel("chosen", [cluster] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", f32, {M, N});
              Tensor P = input("P", s32, {4}, align(4));
              Tensor D = output("D", f32, {M, N});
              ashlar::cluster({cluster});
              TileLoop tiles = persistent({M}, {64});
              Pipeline ring = pipeline(2, smem(f32, {64, 64}));
              role("load", warps(1), [&] {
                for (auto [m] : tiles)
                  for (Index n : range(ceil_div(N, 64))) {
                    Stage s = ring.acquire();
                    for (Index i : range(4)) {
                      SharedTile part = slice(
                          s[0],
                          {multiple_of(16 * load_index(P.at({i})), 16), 0},
                          {16, 64});
                      if (cluster > 1)
                        copy(X.at({i * 16, n * 64}), part, multicast);
                      else
                        copy(X.at({m * 64 + i * 16, n * 64}), part);
                    }
                    ring.commit(s);
                  }
              });
              role("store", warps(4), [&] {
                for (auto [m] : tiles)
                  for (Index n : range(ceil_div(N, 64))) {
                    Stage s = ring.wait();
                    store(D.tile({m, n}), load(s[0]));
                    ring.release(s);
                  }
              });
            });
          },
          {{{"M", 128}, {"N", 64}}, {{"M", 256}, {"N", 192}}},
          [cluster](const Problem &p, Coordinate at) {
            int64_t from = 0;
            while (p["P"](from) != at[0] % 64 / 16)
              ++from;
            const int64_t tile = cluster > 1 ? 0 : at[0] / 64 * 64;
            return p["X"](tile + 16 * from + at[0] % 16, at[1]);
          },
          0,
          {},
          "D",
          {},
          {{"P", [](const Problem &, Coordinate at) {
              return std::array<double, 4>{2, 0, 3, 1}[size_t(at[0])];
            }}}};
}

/// Elements of four bits, and parts of three dimensions, of parts.
Feature nibbles() {
  return {"parts of s4",
          [] {
            return kernel("nibbles", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", s4, {M, N});
              Tensor D = output("D", f32, {M, N});
              TileLoop tiles = persistent({M, N}, {64, 512});
              Pipeline ring = pipeline(2, smem(s4, {64, 512}));
              role("load", warps(1), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.acquire();
                  copy(X.tile({m, n}), s[0]);
                  ring.commit(s);
                }
              });
              role("store", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  Stage s = ring.wait();
                  for (Index i : range(8))
                    for (Index j : range(2))
                      store(
                          D.at({m * 64 + i * 8, n * 512 + j * 256}),
                          convert(load(slice(s[0], {i * 8, j * 256}, {8, 256})),
                                  f32));
                  ring.release(s);
                }
              });
            });
          },
          {{{"M", 100}, {"N", 640}}},
          copied,
          0};
}

Feature ofThreeDimensions() {
  return {"parts of parts of three dimensions",
          [] {
            return kernel("three", [] {
              Size M = size("M"), N = size("N");
              Tensor X = input("X", bf16, {4, M, N});
              Tensor D = output("D", bf16, {4, M, N});
              TileLoop tiles = persistent({M, N}, {32, 64});
              SharedTile tile = shared(bf16, {4, 32, 64});
              role("all", warps(4), [&] {
                for (auto [m, n] : tiles) {
                  for (Index b : range(4)) {
                    SharedTile page = slice(tile, {3 - b, 0, 0}, {1, 32, 64});
                    for (Index i : range(0, 32, 8))
                      store(
                          slice(page, {0, i, 0}, {1, 8, 64}),
                          load(X.at({3 - b, m * 32 + i, n * 64}), {1, 8, 64}));
                  }
                  copy(tile, D.at({0, m * 32, n * 64}));
                }
              });
            });
          },
          {{{"M", 100}, {"N", 136}}},
          [](const Problem &p, Coordinate at) {
            return p["X"](at[0], at[1], at[2]);
          },
          0};
}

/// Loads a part from where P says, and ends with what is found wrong.
[[noreturn]] void launchAndReport(double place) {
  Kernel k = kernel("misplaced", [] {
    Tensor P = input("P", s32, {4}, align(4));
    Tensor D = output("D", f32, {8, 32});
    SharedTile tile = shared(f32, {64, 32});
    role("all", warps(4), [&] {
      store(tile, full(f32, {64, 32}, 3));
      Index from = multiple_of(load_index(P.at({0})), 8);
      store(D.at({0, 0}), load(slice(tile, {from, 0}, {8, 32})));
    });
  });
  launchAndExit(k, {},
                {{"P", [=](const Problem &, Coordinate) { return place; }}});
}

TEST(Parts, EndTheLaunchWhereTheyAreMisplaced) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const char *inside = "the part of a shared tile begins along dimension 0 "
                       "from 0 to 56";
  EXPECT_EXIT(launchAndReport(56), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(launchAndReport(64), testing::ExitedWithCode(3), inside);
  EXPECT_EXIT(launchAndReport(-8), testing::ExitedWithCode(3), inside);
  EXPECT_EXIT(launchAndReport(12), testing::ExitedWithCode(3),
              "the part of a shared tile begins along dimension 0 at a "
              "multiple of 8");
}

/// A tile that is written in parts of one shape and read in parts of another,
/// each in an order of its own.
struct Cut {
  ElementType type;
  int64_t rows, columns, warps;
  struct Way {
    int64_t rows, columns; ///< of a part
    int64_t factor, shift; ///< part i is taken as number factor * i + shift
  } written, read;
};

class DrawCut {
public:
  explicit DrawCut(uint64_t seed) : engine(seed) {}

  Cut draw() {
    for (;;) {
      Cut cut{};
      cut.type = std::array{s8, e4m3, bf16, s16, f32, s32}[number(0, 5)];
      const int64_t bytes = size_bytes(cut.type);
      cut.rows = number(1, 6) << number(0, 5);
      cut.columns = number(1, 12) * 16 / bytes << number(0, 2);
      cut.warps = std::array{1, 2, 4, 8}[number(0, 3)];
      auto tile = layout::sharedTileLayout({cut.rows, cut.columns}, bytes);
      if (!tile || cut.rows * cut.columns * bytes > 64 * 1024)
        continue;
      auto written = way(cut, *tile), read = way(cut, *tile);
      if (!written || !read)
        continue;
      cut.written = *written;
      cut.read = *read;
      return cut;
    }
  }

private:
  size_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<size_t>(size_t(low),
                                                 size_t(high))(engine);
  }
  /// An extent that divides `whole` into parts that may begin anywhere on the
  /// grid.
  int64_t extent(int64_t whole, int64_t grid) {
    std::vector<int64_t> found{whole};
    for (int64_t part = grid; part < whole; part += grid)
      if (whole % part == 0)
        found.push_back(part);
    return found[number(0, int64_t(found.size()) - 1)];
  }
  std::optional<Cut::Way> way(const Cut &cut,
                              const layout::SwizzledLayout &tile) {
    Cut::Way way{extent(cut.rows, layout::partPlaces(tile, 0).elements),
                 extent(cut.columns, layout::partPlaces(tile, 1).elements),
                 std::array{1, 5, 7, 11}[number(0, 3)], int64_t(number(0, 9))};
    const int64_t elements = way.rows * way.columns, threads = 32 * cut.warps,
                  parts = cut.rows / way.rows;
    if (elements > 32 * threads || std::gcd(parts, way.factor) > 1 ||
        (elements % threads && threads % elements))
      return std::nullopt;
    return way;
  }

  std::mt19937_64 engine;
};

Feature drawn(uint64_t seed) {
  const Cut c = DrawCut(seed).draw();
  return {
      "parts drawn by seed " + std::to_string(seed),
      [c] {
        return kernel("drawn", [c] {
          Size M = size("M"), N = size("N");
          Tensor X = input("X", c.type, {M, N});
          Tensor D = output("D", c.type, {M, N});
          TileLoop tiles = persistent({M}, {c.rows});
          SharedTile tile = shared(c.type, {c.rows, c.columns});
          role("all", warps(c.warps), [&] {
            auto forParts = [&](const Cut::Way &way, auto body) {
              const int64_t parts = c.rows / way.rows;
              for (Index i : range(parts))
                for (Index j : range(c.columns / way.columns))
                  body((way.factor * i + way.shift) % parts * way.rows,
                       j * way.columns, Shape{way.rows, way.columns});
            };
            for (auto [m] : tiles)
              for (Index n : range(ceil_div(N, c.columns))) {
                forParts(c.written, [&](Index i, Index j, Shape part) {
                  store(slice(tile, {i, j}, part),
                        load(X.at({m * c.rows + i, n * c.columns + j}), part));
                });
                forParts(c.read, [&](Index i, Index j, Shape part) {
                  store(D.at({m * c.rows + i, n * c.columns + j}),
                        load(slice(tile, {i, j}, part)));
                });
              }
          });
        });
      },
      {{{"M", 2 * c.rows}, {"N", 2 * c.columns}},
       {{"M", c.rows + 5}, {"N", c.columns + 32}}},
      copied,
      0};
}

std::vector<Feature> features() {
  using enum Parts::How;
  std::vector<Feature> all;
  for (ElementType type : {bf16, f32, tf32, s32, s16, e4m3, s8})
    for (auto [how, what] :
         {std::pair{loaded, "loaded"}, std::pair{filled, "filled by TMA"},
          std::pair{copiedOut, "copied out"}})
      all.push_back(feature(
          Parts{.name = "parts of " + std::string(name(type)) + " " + what,
                .type = type,
                .how = how}));
  for (const Parts &c : std::initializer_list<Parts>{
           {.name = "parts of 8 rows stored", .partRows = 8, .how = stored},
           {.name = "column blocks loaded", .partRows = 64, .partColumns = 64},
           {.name = "column blocks filled by TMA",
            .partRows = 64,
            .partColumns = 64,
            .how = filled},
           {.name = "column blocks stored",
            .partRows = 32,
            .partColumns = 64,
            .how = stored},
           {.name = "column blocks copied out",
            .partRows = 32,
            .partColumns = 64,
            .how = copiedOut},
           {.name = "rows of 64 bytes loaded",
            .type = f32,
            .columns = 16,
            .partColumns = 16,
            .warps = 1},
           {.name = "rows of 32 bytes filled by TMA",
            .columns = 16,
            .partColumns = 16,
            .how = filled},
           {.name = "blocks of 64 bytes filled by TMA",
            .columns = 96,
            .partRows = 32,
            .partColumns = 32,
            .how = filled},
           {.name = "parts filled by cp.async", .alignment = 8, .how = filled},
           {.name = "parts of f32 filled by cp.async",
            .type = f32,
            .partColumns = 32,
            .alignment = 4,
            .how = filled},
           {.name = "parts filled by ordinary loads",
            .partColumns = 64,
            .alignment = 2,
            .how = filled},
           {.name = "parts stored by 8 warps",
            .rows = 128,
            .partRows = 64,
            .warps = 8,
            .how = stored},
           {.name = "parts of one row of a vector",
            .type = f32,
            .rows = 1,
            .columns = 256,
            .partRows = 1,
            .partColumns = 64,
            .warps = 1,
            .how = stored},
       })
    all.push_back(feature(c));
  for (const Operands &c : std::initializer_list<Operands>{
           {.name = "a product of parts along K"},
           {.name = "a product of parts of f16 along K", .type = f16},
           {.name = "a product of parts of e4m3 along K",
            .type = e4m3,
            .deep = 2,
            .step = 128},
           {.name = "a product of parts of tf32 along K",
            .type = tf32,
            .step = 32},
           {.name = "a product of parts along M and K", .deep = 2, .high = 2},
           {.name = "a product of parts in registers",
            .deep = 2,
            .fromRegisters = true},
       })
    all.push_back(feature(c));
  all.push_back(chosen(1));
  all.push_back(chosen(2));
  all.push_back(nibbles());
  all.push_back(ofThreeDimensions());
  for (uint64_t seed = 0; seed < 40; ++seed)
    all.push_back(drawn(seed));
  return all;
}

[[maybe_unused]] const bool registered = registerFeatures(features());

} // namespace
} // namespace ashlar::test
