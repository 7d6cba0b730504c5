// More CTAs than every Hopper GPU gives a cluster.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    cluster({4, 4});
  });
}
