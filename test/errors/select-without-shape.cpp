// Two numbers have no shape.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment a = zeros(f32, {64, 64});
      // CHECK: select-without-shape.cpp:[[@LINE+1]]: error: neither operand is a fragment, so the result has no shape; use full(type, shape, value) for one of them
      select(a > 0, 1, 0);
    });
  });
}
