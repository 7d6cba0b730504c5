// Coordinates are s32.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {64});
    role("math", warps(1), [&] {
      // CHECK: gather-by-floats.cpp:[[@LINE+1]]: error: gather has a coordinate of f32; coordinates are s32: convert the fragment
      gather(X, {zeros(f32, {64})});
    });
  });
}
