// A sum runs along a dimension that the cluster has.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    role("math", warpgroups(1), [] {
      // CHECK: cluster-sum-dimension.cpp:[[@LINE+1]]: error: cluster_sum combines along dimension 1 of a cluster of 1 dimensions
      cluster_sum(zeros(f32, {64, 64}), 1);
    });
  });
}
