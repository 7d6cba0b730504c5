// Without a tile loop CTAs stand in one dimension.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK: cluster-without-tile-loop.cpp:[[@LINE+1]]: error: the kernel has a cluster of 2 dimensions and no tile loop: give the cluster one dimension, or declare a tile loop
  return kernel("k", [] {
    cluster({2, 1});
    role("math", warpgroups(1), [] {});
  });
}
