// Elements of four bits lie in pairs.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(s4, {64, 128});
    role("math", warpgroups(1), [&] {
      // CHECK: even-rows-of-pairs.cpp:[[@LINE+1]]: error: even_rows_first is of elements of 8 bits and more, and the tile's have 4
      tile.even_rows_first();
    });
  });
}
