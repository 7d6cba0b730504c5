// A CTA without a cluster has no rank.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("all", warps(4), [&] {
      // CHECK: cluster-rank-without-cluster.cpp:[[@LINE+1]]: error: cluster_rank is of a cluster, and the kernel has none: call cluster({...}) before the roles
      Index rank = cluster_rank();
      (void)rank;
    });
  });
}
