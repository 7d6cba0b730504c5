// A raster needs at least one tile in a group.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: tile-loop-group.cpp:[[@LINE+1]]: error: Raster::swizzled(0): a group has at least 1 tile
    grid({1024, 1024}, {128, 128}, Raster::swizzled(0));
  });
}
