// An mma whose K is no multiple of the instruction's.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 24}), b = shared(bf16, {64, 24});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-k.cpp:[[@LINE+1]]: error: the mma has K = 24; for bf16 wgmma needs a multiple of 16: use 16 or 32
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
