// tf32 is multiplied only with K contiguous.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(tf32, {64, 64}), b = shared(tf32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      mma(a.T(), b.T(), zeros(f32, {64, 64}));
    });
  });
}
