// A cluster that is empty.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: cluster-extent.cpp:[[@LINE+1]]: error: the cluster has the extents 2x0; each is at least 1
    cluster({2, 0});
  });
}
