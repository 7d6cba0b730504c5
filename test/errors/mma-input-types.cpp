// wgmma multiplies inputs of one kind.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(f16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-input-types.cpp:[[@LINE+1]]: error: the mma multiplies bf16 by f16 into f32; wgmma has bf16 and tf32 into f32, f16 and fp8 into f32 or f16, 8-bit integers into s32, with both inputs of one kind: use one of these
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
