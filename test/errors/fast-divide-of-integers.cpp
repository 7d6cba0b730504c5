// The chip approximates quotients of floats.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: fast-divide-of-integers.cpp:[[@LINE+1]]: error: fast::divide of 64x64 s32; it is defined for floating-point types: convert first
      fast::divide(1, zeros(s32, {64, 64}));
    });
  });
}
