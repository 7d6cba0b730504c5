// What CTAs send each other has 32 bits.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    role("math", warpgroups(1), [] {
      // CHECK: cluster-sum-type.cpp:[[@LINE+1]]: error: cluster_sum combines f32 or s32; this fragment is 64x64 bf16: convert it first
      cluster_sum(zeros(bf16, {64, 64}), 0);
    });
  });
}
