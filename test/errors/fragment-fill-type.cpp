// A fill does not convert.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Scalar alpha = scalar("alpha", f32);
    role("math", warpgroups(1), [&] {
      // CHECK: fragment-fill-type.cpp:[[@LINE+1]]: error: a fragment of bf16 is filled with a scalar of f32; convert the scalar
      full(bf16, {64, 64}, alpha);
    });
  });
}
