// PTX has no registers of 8 bits.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [] {
      Fragment x = zeros(s8, {64});
      // CHECK: ptx-of-bytes.cpp:[[@LINE+1]]: error: PTX takes 64 s8; it has registers of 16 and 32 bits: convert it
      ptx("mov.b32 $0, $1;", s32, {x});
    });
  });
}
