// Sizes whose product no integer holds.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: tile-without-end.cpp:[[@LINE+1]]: error: the shared tile has the extents 1099511627776x1099511627776; the product is at most 2147483647: use smaller ones
    SharedTile staged = shared(f32, {1l << 40, 1l << 40});
  });
}
