// All roles walk over the same tiles.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    TileLoop tiles = persistent({M}, {64});
    role("math", warps(1), [&] {
      for (auto [m] : tiles)
        // CHECK: last-if-of-tiles.cpp:[[@LINE+1]]: error: the last_if ends a tile loop, which ends with its tiles, of all roles: loop over a range
        last_if(m > 5);
    });
  });
}
