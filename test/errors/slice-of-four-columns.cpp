// Eight columns of an accumulator lie in four neighbouring threads.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    Tensor D = output("D", f32, {64, 4});
    role("math", warpgroups(1), [&] {
      Fragment acc = mma(a, b.T(), zeros(f32, {64, 64}));
      // CHECK: slice-of-four-columns.cpp:[[@LINE+1]]: error: the part of 4 from 8 along dimension 1 of (64,64) is not spread evenly over the threads that hold it; parts of 8, 16 or 32 are, from a multiple of as many on
      store(D.tile({0, 0}), slice(acc, {0, 8}, {64, 4}));
    });
  });
}
