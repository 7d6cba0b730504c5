// Integer wgmma has fewer widths than the others.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(s8, {64, 64}), b = shared(s8, {40, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-n-of-8-bit-integers.cpp:[[@LINE+1]]: error: the mma has N = 40; wgmma on 8-bit integers needs 8, 24 or a multiple of 16: use 32 or 48
      mma(a, b.T(), zeros(s32, {64, 40}));
    });
  });
}
