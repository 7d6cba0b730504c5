// 8-bit integers are multiplied only with K contiguous.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(s8, {64, 64}), b = shared(s8, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-layout-of-s8.cpp:[[@LINE+1]]: error: the mma reads B with N contiguous; wgmma can transpose only 16-bit types: store it with K contiguous
      mma(a, b, zeros(s32, {64, 64}));
    });
  });
}
