// Arithmetic does not convert.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment a = zeros(f32, {64, 64}), b = zeros(bf16, {64, 64});
      // CHECK
      a + b;
    });
  });
}
