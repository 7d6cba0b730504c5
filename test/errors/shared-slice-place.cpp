// A part begins with a swizzle atom, and an index may be anything.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      for (Index i : range(N)) {
        // CHECK: shared-slice-place.cpp:[[@LINE+1]]: error: the part begins along dimension 0 at an index that is not known to be a multiple of 8, as the swizzle atoms of the tile do: promise it with multiple_of(index, 8)
        SharedTile part = slice(tile, {4 * i, 0}, {8, 64});
        store(part, zeros(bf16, {8, 64}));
      }
    });
  });
}
