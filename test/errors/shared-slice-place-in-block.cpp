// Within a column block no part begins but the first.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      for (Index i : range(2)) {
        // CHECK: shared-slice-place-in-block.cpp:[[@LINE+1]]: error: the part begins along dimension 1 at an index, and of the 64 elements there only the first begins a swizzle atom of the tile: write 0
        SharedTile part = slice(tile, {0, 32 * i}, {64, 32});
        store(part, zeros(bf16, {64, 32}));
      }
    });
  });
}
