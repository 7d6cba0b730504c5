// mma takes matrices.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {2, 64, 64}), b = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-rank.cpp:[[@LINE+1]]: error: mma of A 2x64x64, B 64x64 and an accumulator of 64x64: give each two dimensions
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
