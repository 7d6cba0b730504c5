// A mode of a raster walks at least one tile.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: tile-loop-group.cpp:[[@LINE+1]]: error: mode 0 of the raster walks 0 tiles along m; it walks at least 1
    grid({1024, 1024}, {128, 128}, Raster::swizzled(0));
  });
}
