// Fragments through shared memory to global: by warps, transposed, in strips.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

struct Staged {
  std::string name;
  ElementType d = bf16;
  bool transposed = false;
  /// Columns of the tile that are staged at a time, and tiles to stage them in.
  int64_t width = 64, buffers = 1;
  int64_t warpgroups = 2;
  /// Strips are stored by ordinary stores, without shared memory.
  bool direct = false;
  /// Cut after the conversion instead of before.
  bool convertFirst = false;
  bool budgets = true;
  int64_t bm = 128, bn = 64;
};

Kernel stagedGemm(const Staged &c) {
  return kernel("staged", [&] {
    constexpr int64_t bk = 64;
    Size M = size("M"), N = size("N"), K = size("K");
    Tensor A = input("A", bf16, {M, K});
    Tensor B = input("B", bf16, {N, K});
    Tensor D =
        c.transposed ? output("D", c.d, {N, M}) : output("D", c.d, {M, N});
    TileLoop tiles = persistent({M, N}, {c.bm, c.bn}, Raster::grouped(8));
    Pipeline ring = pipeline(3, smem(bf16, {c.bm, bk}), smem(bf16, {c.bn, bk}));
    std::vector<SharedTile> staging;
    for (int64_t i = 0; i < (c.direct ? 0 : c.buffers); ++i)
      staging.push_back(shared(c.d, c.transposed ? Shape{c.width, c.bm}
                                                 : Shape{c.bm, c.width}));

    roleOf("load", warps(1), c.budgets ? 40 : 0, [&] {
      for (auto [m, n] : tiles)
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.acquire();
          copy(A.tile({m, k}), s[0]);
          copy(B.tile({n, k}), s[1]);
          ring.commit(s);
        }
    });
    roleOf("math", warpgroups(c.warpgroups), c.budgets ? 200 : 0, [&] {
      for (auto [m, n] : tiles) {
        Fragment acc = zeros(f32, {c.bm, c.bn});
        for (Index k : range(ceil_div(K, bk))) {
          Stage s = ring.wait();
          acc = mma(s[0], s[1].T(), acc);
          ring.release(s);
        }
        auto converted = [&](const Fragment &fragment) {
          return c.d == f32 ? fragment : convert(fragment, c.d);
        };
        Fragment whole = c.convertFirst ? converted(acc) : acc;
        for (int64_t i = 0; i * c.width < c.bn; ++i) {
          const int64_t width = std::min(c.width, c.bn - i * c.width);
          Fragment part = slice(whole, {0, i * c.width}, {c.bm, width});
          Fragment strip = c.convertFirst ? part : converted(part);
          Index row = m * c.bm, column = n * c.bn + i * c.width;
          TileRef place =
              c.transposed ? D.at({column, row}) : D.at({row, column});
          if (c.direct) {
            store(place, strip);
            continue;
          }
          SharedTile tile =
              slice(staging[i % c.buffers], {0, 0},
                    c.transposed ? Shape{width, c.bm} : Shape{c.bm, width});
          store(c.transposed ? tile.T() : tile, strip);
          copy(tile, place);
        }
      }
    });
  });
}

Feature feature(const Staged &c) {
  auto reference = [c](const Problem &p, Coordinate at) {
    const int64_t from[] = {at[c.transposed ? 1 : 0], at[c.transposed ? 0 : 1]};
    return gemmReference(p, from);
  };
  std::vector<Sizes> problems = gemmProblems();
  // Rows of whole units of 16 bytes, which TMA cuts off by itself, and rows
  // that are none; more tiles than there are CTAs.
  problems.push_back({{"M", 264}, {"N", 136}, {"K", 64}});
  problems.push_back({{"M", 267}, {"N", 139}, {"K", 64}});
  problems.push_back({{"M", 1400}, {"N", 1048}, {"K", 24}});
  return {c.name, [c] { return stagedGemm(c); }, problems, reference,
          c.d == f32    ? 1e-5
          : c.d == bf16 ? 5e-3
                        : 7e-2};
}

[[maybe_unused]] const bool registered = registerFeatures({
    feature({"a bf16 tile that warps store"}),
    feature({.name = "an f32 tile that warps store", .d = f32}),
    feature(
        {.name = "a tile that warps store without budgets", .budgets = false}),
    feature({.name = "two blocks of rows to a warp", .bm = 256}),
    feature({.name = "a bf16 tile of two swizzled columns",
             .width = 128,
             .bn = 128}),
    feature({.name = "an fp8 tile that warps store", .d = e4m3}),
    feature({.name = "a bf16 tile stored transposed", .transposed = true}),
    feature({.name = "an fp8 tile stored transposed",
             .d = e4m3,
             .transposed = true}),
    feature({.name = "an f32 tile stored transposed",
             .d = f32,
             .transposed = true}),
    feature({.name = "a tile stored transposed without budgets",
             .transposed = true,
             .budgets = false}),
    feature({.name = "an f32 tile of one warpgroup stored transposed",
             .d = f32,
             .transposed = true,
             .warpgroups = 1,
             .bm = 64}),
    feature({.name = "a narrower last strip", .buffers = 2, .bn = 112}),
    feature({.name = "a last strip of 16 bytes", .bn = 72}),
    feature(
        {.name = "a last strip of fp8", .d = e4m3, .width = 128, .bn = 176}),
    feature({.name = "a last strip of f32", .d = f32, .width = 32, .bn = 56}),
    feature({.name = "a last strip of one swizzled column",
             .width = 128,
             .bn = 192}),
    feature({.name = "a last strip of a block of its swizzle",
             .width = 48,
             .bn = 64}),
    feature({.name = "a narrower last strip stored transposed",
             .transposed = true,
             .bn = 88}),
    feature({.name = "strips in one tile", .width = 16}),
    feature({.name = "strips in two tiles", .width = 16, .buffers = 2}),
    feature({.name = "strips in two tiles of f32",
             .d = f32,
             .width = 32,
             .buffers = 2,
             .bn = 128}),
    feature({.name = "strips in three tiles that do not divide them",
             .width = 16,
             .buffers = 3}),
    feature({.name = "strips in two tiles, transposed",
             .transposed = true,
             .width = 16,
             .buffers = 2}),
    feature({.name = "strips of 8 columns in two tiles without budgets",
             .width = 8,
             .buffers = 2,
             .budgets = false}),
    feature({.name = "slices of f32 stored directly",
             .d = f32,
             .width = 16,
             .direct = true}),
    feature({.name = "slices converted to bf16 stored directly",
             .width = 24,
             .direct = true,
             .bn = 72}),
    feature({.name = "slices of bf16 stored directly",
             .width = 8,
             .direct = true,
             .convertFirst = true,
             .budgets = false}),
    feature(
        {.name = "slices of bf16 staged", .width = 32, .convertFirst = true}),
});

} // namespace
} // namespace ashlar::test
