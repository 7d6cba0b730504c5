// An accumulator that the product does not fit.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {128, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-accumulator-shape.cpp:[[@LINE+1]]: error: mma of A 64x64, B 64x128 and an accumulator of 64x64: the product is 64x128; give the accumulator that shape
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
