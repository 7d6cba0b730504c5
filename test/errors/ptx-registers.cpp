// $0 is the result, and each fragment has one number more.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [] {
      Fragment x = zeros(f32, {64});
      // CHECK: ptx-registers.cpp:[[@LINE+1]]: error: the PTX has $2, and 2 registers, from $0 on
      ptx("add.f32 $0, $1, $2;", f32, {x});
    });
  });
}
