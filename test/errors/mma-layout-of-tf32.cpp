// tf32 is multiplied only with K contiguous.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(tf32, {64, 64}), b = shared(tf32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-layout-of-tf32.cpp:[[@LINE+1]]: error: the mma reads A with M contiguous; wgmma can transpose only 16-bit types: multiply load(tile.T()), or store it with K contiguous
      mma(a.T(), b.T(), zeros(f32, {64, 64}));
    });
  });
}
