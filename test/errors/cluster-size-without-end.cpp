// A size that no integer holds.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: cluster-size-without-end.cpp:[[@LINE+1]]: error: the cluster has the extents 4294967296x4294967296; the product is at most 2147483647: use smaller ones
    cluster({1l << 32, 1l << 32});
  });
}
