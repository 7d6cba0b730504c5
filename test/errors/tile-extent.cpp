// Tiles have elements.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: tile-extent.cpp:[[@LINE+1]]: error: the shared tile has the extents 64x0; each is at least 1
    SharedTile staged = shared(bf16, {64, 0});
  });
}
