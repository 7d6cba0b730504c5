// An mma whose N is no multiple of 8.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {100, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      mma(a, b.T(), zeros(f32, {64, 100}));
    });
  });
}
