// Wide tiles lie in blocks of columns, which a part does not cut.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile tile = shared(bf16, {64, 128});
    role("math", warpgroups(1), [&] {
      // CHECK: shared-slice-across-blocks.cpp:[[@LINE+1]]: error: the part (64,96) cuts a column block of 64 elements: use a multiple of that, or no more
      SharedTile part = slice(tile, {0, 0}, {64, 96});
      store(part, zeros(bf16, {64, 96}));
    });
  });
}
