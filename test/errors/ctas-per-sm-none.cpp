// No CTA on an SM.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: ctas-per-sm-none.cpp:[[@LINE+1]]: error: ctas_per_sm is 0; an SM has room for 1 to 32 CTAs
    ctas_per_sm(0);
  });
}
