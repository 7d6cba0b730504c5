// There is nobody to meet.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("all", warps(4), [&] {
      // CHECK: cluster-sync-without-cluster.cpp:[[@LINE+1]]: error: cluster_sync is of a cluster, and the kernel has none: call cluster({...}) before the roles
      cluster_sync();
    });
  });
}
