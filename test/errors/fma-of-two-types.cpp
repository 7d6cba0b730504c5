// What fma takes has one element type.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment product = zeros(bf16, {64, 64});
      // CHECK: fma-of-two-types.cpp:[[@LINE+1]]: error: the operands are 64x64 bf16 and 64x64 f32; convert one of them
      fma(product, 2, zeros(f32, {64, 64}));
    });
  });
}
