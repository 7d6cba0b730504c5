// Arithmetic does not convert.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment a = zeros(f32, {64, 64}), b = zeros(bf16, {64, 64});
      // CHECK: arithmetic-types.cpp:[[@LINE+1]]: error: the operands are 64x64 f32 and 64x64 bf16; convert one of them
      a + b;
    });
  });
}
