// The launch must know the tile loop's extents.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    // CHECK: tile-loop-extents.cpp:[[@LINE+1]]: error: the tile loop has an extent that is neither a size nor a constant; declare it with size(), or the loop in each role
    TileLoop tiles = grid({M * 2}, {128});
    role("math", warpgroups(1), [&] {
      for (auto [m] : tiles)
        m + 1;
    });
  });
}
