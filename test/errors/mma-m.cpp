// An mma with rows that no number of warpgroups can share.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {96, 64}), b = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-m.cpp:[[@LINE+1]]: error: the mma has M = 96 in role 'math' of 1 warpgroup; each needs a multiple of 64 rows: use 64 or 128
      mma(a, b.T(), zeros(f32, {96, 64}));
    });
  });
}
