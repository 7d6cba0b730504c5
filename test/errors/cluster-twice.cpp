// A kernel has one cluster.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    // CHECK: cluster-twice.cpp:[[@LINE+1]]: error: the kernel has a cluster already; call cluster once
    cluster({2});
  });
}
