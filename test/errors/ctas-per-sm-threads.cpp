// More CTAs on an SM than it has threads for.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK: ctas-per-sm-threads.cpp:[[@LINE+1]]: error: kernel 'k' has 512 threads with all its roles, and an SM has room for 2048, not for 5 such CTAs: use ctas_per_sm(4)
  return kernel("k", [] {
    ctas_per_sm(5);
    role("math", warps(16), [] {});
  });
}
