// wgmma needs whole warpgroups.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    role("math", warps(2), [&] {
      // CHECK: mma-warps.cpp:[[@LINE+1]]: error: the mma stands in role 'math' of 2 warps; wgmma needs whole warpgroups: use warpgroups(1)
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
