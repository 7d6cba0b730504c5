// wgmma needs whole warpgroups.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    role("math", warps(2), [&] {
      // CHECK
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
