// An accumulator that the product does not fit.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {128, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
