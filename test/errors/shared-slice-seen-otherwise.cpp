// A part has no memory of its own.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: shared-slice-seen-otherwise.cpp:[[@LINE+1]]: error: the part of a shared tile that slice gave has no memory of its own; call as on the whole tile, and slice what it gives
      slice(tile, {0, 0}, {64, 32}).as(f32, {32, 32});
    });
  });
}
