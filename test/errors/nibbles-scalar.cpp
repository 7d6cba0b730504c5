// A scalar is what a thread computes with.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Scalar alpha = scalar("alpha", f32);
    role("math", warps(1), [&] {
      // CHECK: nibbles-scalar.cpp:[[@LINE+1]]: error: a scalar can't be s4
      convert(alpha, s4);
    });
  });
}
