// An mma whose N is no multiple of 8.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {100, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-n.cpp:[[@LINE+1]]: error: the mma has N = 100; wgmma needs a multiple of 8: use 96 or 104
      mma(a, b.T(), zeros(f32, {64, 100}));
    });
  });
}
