// A cluster has the dimensions of the tile loop.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    // CHECK: cluster-dimensions.cpp:[[@LINE+1]]: error: the cluster has 1 dimensions and the tile loop 2; give the cluster's extent along each dimension of the tile loop
    grid({1024, 1024}, {128, 128});
    role("math", warpgroups(1), [] {});
  });
}
