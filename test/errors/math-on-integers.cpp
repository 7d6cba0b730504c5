// There is no exponential of integers.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: math-on-integers.cpp:[[@LINE+1]]: error: exp2 of 64x64 s32; it is defined for floating-point types: convert first
      exp2(zeros(s32, {64, 64}));
    });
  });
}
