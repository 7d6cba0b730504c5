// An mma whose K is no multiple of the instruction's.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 24}), b = shared(bf16, {64, 24});
    role("math", warpgroups(1), [&] {
      // CHECK
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
