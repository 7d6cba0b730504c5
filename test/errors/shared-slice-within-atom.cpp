// A part starts where the swizzle of addresses does.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: shared-slice-within-atom.cpp:[[@LINE+1]]: error: the part (64,32) begins at (0,32), within a swizzle atom of 8 rows of 128 bytes: begin at multiples of (8,64)
      SharedTile part = slice(tile, {0, 32}, {64, 32});
      store(part, zeros(bf16, {64, 32}));
    });
  });
}
