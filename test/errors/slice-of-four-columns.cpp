// Eight columns of an accumulator lie in four neighbouring threads.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    Tensor D = output("D", f32, {64, 4});
    role("math", warpgroups(1), [&] {
      Fragment acc = mma(a, b.T(), zeros(f32, {64, 64}));
      // CHECK: slice-of-four-columns.cpp:[[@LINE+1]]: error: the part of 4 from 8 along dimension 1 of (64,64) is not spread evenly over the threads of 64x64 (4,8,4,1):(128,1,16,64) / (2,2,8,1):(64,8,512,64)
      store(D.tile({0, 0}), slice(acc, {0, 8}, {64, 4}));
    });
  });
}
