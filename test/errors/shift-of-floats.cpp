// Floats are not shifted.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: shift-of-floats.cpp:[[@LINE+1]]: error: << of 64x64 f32; it is defined for integers: convert first
      1 << zeros(f32, {64, 64});
    });
  });
}
