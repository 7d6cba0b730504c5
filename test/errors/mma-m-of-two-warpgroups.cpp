// An mma with fewer rows than its warpgroups need.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    role("math", warpgroups(2), [&] {
      // CHECK
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
