// Lanes hold four neighbours of a row of bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(e4m3, {64, 128});
    role("math", warpgroups(1), [&] {
      // CHECK: interleaved-of-bytes.cpp:[[@LINE+1]]: error: interleaved_columns is of elements of 16 bits, and the tile's are e4m3
      store(tile.interleaved_columns(), zeros(e4m3, {64, 128}));
    });
  });
}
