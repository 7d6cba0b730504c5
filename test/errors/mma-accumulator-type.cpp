// bf16 products can't be summed in f16.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      mma(a, b.T(), zeros(f16, {64, 64}));
    });
  });
}
