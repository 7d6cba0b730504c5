// An mma with rows that no number of warpgroups can share.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {96, 64}), b = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      mma(a, b.T(), zeros(f32, {96, 64}));
    });
  });
}
