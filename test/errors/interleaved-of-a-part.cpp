// A part has no memory of its own.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: interleaved-of-a-part.cpp:[[@LINE+1]]: error: interleaved_columns is given a part of a shared tile; call it on the whole tile
      store(slice(tile, {0, 0}, {32, 64}).interleaved_columns(),
            zeros(bf16, {32, 64}));
    });
  });
}
