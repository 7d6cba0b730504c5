// A part lies inside its shared tile.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: shared-slice-outside.cpp:[[@LINE+1]]: error: slice takes 32 from 48 in dimension 1 of a shared tile of 64x64; the part must lie inside
      slice(tile, {0, 48}, {64, 32});
    });
  });
}
