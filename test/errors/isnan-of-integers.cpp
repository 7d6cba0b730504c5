// Every integer is a number.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: isnan-of-integers.cpp:[[@LINE+1]]: error: isnan of 64x64 s32; it is defined for floating-point types: convert first
      isnan(zeros(s32, {64, 64}));
    });
  });
}
