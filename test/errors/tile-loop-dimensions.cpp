// A grid over six dimensions.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: tile-loop-dimensions.cpp:[[@LINE+1]]: error: the tile loop has 6 dimensions; it has 1 to 5
    grid({8, 8, 8, 8, 8, 8}, {1, 1, 1, 1, 1, 1});
  });
}
