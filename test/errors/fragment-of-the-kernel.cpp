// Only roles have registers.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    // CHECK
    Fragment sum = zeros(f32, {64, 64});
    role("math", warpgroups(1), [&] { store(D.tile({0, 0}), sum); });
  });
}
