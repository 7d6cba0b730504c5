// An mma with fewer rows than its warpgroups need.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    role("math", warpgroups(2), [&] {
      // CHECK: mma-m-of-two-warpgroups.cpp:[[@LINE+1]]: error: the mma has M = 64 in role 'math' of 2 warpgroups; each needs a multiple of 64 rows: use 128, or fewer warpgroups
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
