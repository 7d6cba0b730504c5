// TMA does not reduce every type in every way.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    Tensor D = inout("D", f32, {M, M});
    TileLoop tiles = grid({M, M}, {64, 64});
    SharedTile s = shared(f32, {64, 64});
    role("store", warps(4), [&] {
      for (auto [m, n] : tiles) {
        store(s, zeros(f32, {64, 64}));
        // CHECK: copy-reduction-type.cpp:[[@LINE+1]]: error: the copy_out reduces f32 with min; TMA reduces s32, f16 and bf16, and adds f32
        copy(s, D.tile({m, n}), reduce_min);
      }
    });
  });
}
