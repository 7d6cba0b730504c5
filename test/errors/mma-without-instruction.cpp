// There is no wgmma on f32.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(f32, {64, 64}), b = shared(f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-without-instruction.cpp:[[@LINE+1]]: error: the mma multiplies f32 by f32 into f32; wgmma has bf16 and tf32 into f32, f16 and fp8 into f32 or f16, 8-bit integers into s32, with both inputs of one kind: use one of these, of a tile of f32 tile.as(tf32, {rows, columns})
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
