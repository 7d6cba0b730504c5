// Tiles in the place of a tile are counted from 0.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: shared-tile-number.cpp:[[@LINE+1]]: error: as counts tiles from 0; there is no tile -1
      tile.as(f32, {32, 32}, -1);
    });
  });
}
