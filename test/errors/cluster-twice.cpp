// A kernel has one cluster.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    // CHECK
    cluster({2});
  });
}
