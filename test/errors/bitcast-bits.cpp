// Bits become as many bits.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [] {
      // CHECK: bitcast-bits.cpp:[[@LINE+1]]: error: bitcast of 64 f32 to bf16; both have as many bits
      bitcast(zeros(f32, {64}), bf16);
    });
  });
}
