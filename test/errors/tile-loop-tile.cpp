// Tiles have elements.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: tile-loop-tile.cpp:[[@LINE+1]]: error: the tile of the tile loop has the extents 128x0; each is at least 1
    grid({1024, 1024}, {128, 0});
  });
}
