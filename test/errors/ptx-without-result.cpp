// What computes nothing has no result.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warps(1), [] {
      Fragment x = zeros(f32, {64});
      // CHECK: ptx-without-result.cpp:[[@LINE+1]]: error: the PTX has no $0, which is its result: write it
      ptx("mov.f32 $1, $1;", f32, {x});
    });
  });
}
