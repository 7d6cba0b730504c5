// What TMA copies out has rows of 16 bytes, also where there is but one.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    SharedTile tile = shared(f32, {1, 6});
    role("all", warps(1), [&] {
      store(tile, zeros(f32, {1, 6}));
      // CHECK: copy-out-row-bytes.cpp:[[@LINE+1]]: error: TMA cannot move this tile: the shared tile (1,6) has rows of 24 bytes (6 elements of 4); TMA needs a multiple of 16: use a multiple of 4 elements
      copy(tile, D.at({0, 0}));
    });
  });
}
