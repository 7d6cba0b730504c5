// There is no wgmma on f32.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(f32, {64, 64}), b = shared(f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
