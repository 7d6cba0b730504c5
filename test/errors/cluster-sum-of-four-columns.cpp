// Each CTA gets as many columns of every thread.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({4});
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {16, 64});
    Tensor D = output("D", f32, {64, 4});
    role("math", warpgroups(1), [&] {
      Fragment acc = mma(a, b.T(), zeros(f32, {64, 16}));
      // CHECK: cluster-sum-of-four-columns.cpp:[[@LINE+1]]: error: the part of 4 from 0 along dimension 1 of (64,16) is not spread evenly over the threads of 64x16 (4,8,4,1):(128,1,16,64) / (2,2,2,1):(64,8,512,64)
      store(D.tile({0, 0}), cluster_sum(acc, 0));
    });
  });
}
