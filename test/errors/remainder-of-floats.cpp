// The remainder of floats has no instruction.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: remainder-of-floats.cpp:[[@LINE+1]]: error: % of 64x64 f32; it is defined for integers: convert first
      zeros(f32, {64, 64}) % 3;
    });
  });
}
