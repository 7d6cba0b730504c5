// The number of a tile is checked however large it is.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    SharedTile tile = shared(f32, {64, 64});
    role("all", warps(4), [&] {
      // CHECK: as-beyond-all.cpp:[[@LINE+1]]: error: the shared tile has 16384 bytes, room for 1 tile of 64x64 f32, counted from 0; there is no tile 1125899906842624
      store(tile.as(f32, {64, 64}, 1ll << 50), zeros(f32, {64, 64}));
      store(D.at({0, 0}), load(tile));
    });
  });
}
