// Rasters: each tile is taken once, whatever is left at the edges.

#include "test/kernels/Feature.h"

namespace ashlar::test {
namespace {

/// Adds one to each element, tile by tile.
Feature counted(const std::string &name, const Raster &raster,
                bool inClusters = false) {
  return {"tiles taken " + name,
          [=] {
            return kernel("count", [=] {
              Size L = size("L"), M = size("M"), N = size("N");
              Tensor D = inout("D", f32, {L, M, N});
              TileLoop tiles = persistent({L, M, N}, {1, 16, 8}, raster);
              if (inClusters)
                cluster({1, 2, 2});
              role("count", warps(1), [&] {
                for (auto [l, m, n] : tiles)
                  store(D.tile({l, m, n}),
                        load(D.tile({l, m, n}), {16, 8}) + 1.0f);
              });
            });
          },
          {{{"L", 1}, {"M", 16 * 7}, {"N", 8 * 11}},
           {{"L", 2}, {"M", 16 * 8}, {"N", 8 * 12}},
           {{"L", 3}, {"M", 100}, {"N", 50}},
           {{"L", 1}, {"M", 1}, {"N", 300}}},
          [](const Problem &, Coordinate) { return 1.0; },
          0,
          {},
          "D",
          {"D"}};
}

constexpr Along m = Along::m, n = Along::n;

[[maybe_unused]] const bool registered = registerFeatures(
    {counted("along n", Raster::along_n()),
     counted("along m", Raster::along_m()),
     counted("in groups", Raster::grouped(3)),
     counted("in swizzled groups", Raster::swizzled(3)),
     counted("in pairs of columns", {{n, 2}, {m}, {n}}),
     counted("in blocks", {{m, 3}, {n, 4}, {m}, {n}}),
     counted("in blocks of blocks", {{n, 2}, {m, 2}, {n, 3}, {m, 2}, {n}, {m}}),
     counted("in blocks whose rows and columns alternate",
             {{m, 3, true}, {n, 4, true}, {m}, {n}}),
     counted("in groups of one and of all",
             {{m, 1, true}, {n, 100}, {m, 4}, {n}, {m}}),
     counted("in blocks by clusters", {{m, 3}, {n, 2}, {m}, {n}}, true)});

} // namespace
} // namespace ashlar::test
