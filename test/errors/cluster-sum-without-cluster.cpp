// There is nobody else to add.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: cluster-sum-without-cluster.cpp:[[@LINE+1]]: error: cluster_sum combines over a cluster, and the kernel has none: call cluster({...}) before the roles
      cluster_sum(zeros(f32, {64, 64}), 0);
    });
  });
}
