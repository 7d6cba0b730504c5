// Each CTA gets as many columns, which its threads share.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({8});
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {24, 64});
    Tensor D = output("D", f32, {64, 3});
    role("math", warpgroups(1), [&] {
      Fragment acc = mma(a, b.T(), zeros(f32, {64, 24}));
      // CHECK: cluster-sum-of-three-columns.cpp:[[@LINE+1]]: error: the 192 elements of a fragment (64,3) do not divide among 128 threads: use a multiple of 128 elements or 64 threads
      store(D.tile({0, 0}), cluster_sum(acc, 0));
    });
  });
}
