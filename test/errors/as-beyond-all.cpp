// The number of a tile is checked however large it is.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    SharedTile tile = shared(f32, {64, 64});
    role("all", warps(4), [&] {
      // CHECK: as-beyond-all.cpp:[[@LINE+1]]: error: tile 1125899906842624 of 16384 bytes ends 18446744073709551615 bytes into a shared tile that has 16384: use a smaller shape or number
      store(tile.as(f32, {64, 64}, 1ll << 50), zeros(f32, {64, 64}));
      store(D.at({0, 0}), load(tile));
    });
  });
}
