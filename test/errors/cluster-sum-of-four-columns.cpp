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
      // CHECK: cluster-sum-of-four-columns.cpp:[[@LINE+1]]: error: each CTA gets a part of the result: the part of 4 from 0 along dimension 1 of (64,16) is not spread evenly over the threads that hold it; parts of 8 are, from a multiple of as many on: use a wider tile or a smaller cluster
      store(D.tile({0, 0}), cluster_sum(acc, 0));
    });
  });
}
