// A wgmma of a sparse A is twice as deep.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 24}), b = shared(bf16, {64, 48});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-sparse-k.cpp:[[@LINE+1]]: error: the mma has K = 48; for sparse bf16 wgmma needs a multiple of 32: use 32 or 64
      mma(sparse(a, zeros(s16, {64, 3})), b.T(), zeros(f32, {64, 64}));
    });
  });
}
