// Only whole tiles have rows that lie otherwise.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(e4m3, {64, 128});
    role("math", warpgroups(1), [&] {
      // CHECK: even-rows-of-a-part.cpp:[[@LINE+1]]: error: even_rows_first is given a part of a shared tile; call it on the whole tile
      slice(tile, {0, 0}, {32, 128}).even_rows_first();
    });
  });
}
