// Two numbers have no shape.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment a = zeros(f32, {64, 64});
      // CHECK
      select(a > 0, 1, 0);
    });
  });
}
