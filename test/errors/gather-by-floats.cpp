// Coordinates are s32.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {64});
    role("math", warps(1), [&] {
      // CHECK: gather-by-floats.cpp:[[@LINE+1]]: error: the operands are 64 s32 and 64 f32; convert one of them
      gather(X, {zeros(f32, {64})});
    });
  });
}
