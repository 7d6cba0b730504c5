// More CTAs than every Hopper GPU gives a cluster.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: cluster-size.cpp:[[@LINE+1]]: error: the cluster of 4x4 has 16 CTAs; the portable limit is 8: use a smaller one
    cluster({4, 4});
  });
}
