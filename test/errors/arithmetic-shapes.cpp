// Shapes broadcast as in NumPy.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment a = zeros(f32, {64, 64}), b = zeros(f32, {64, 32});
      // CHECK
      a + b;
    });
  });
}
