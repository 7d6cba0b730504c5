// fp8 is multiplied only with K contiguous.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(e4m3, {64, 64}), b = shared(e4m3, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      mma(a, b, zeros(f32, {64, 64}));
    });
  });
}
