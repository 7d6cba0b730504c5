// Threads count in 32 bits.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: index-range.cpp:[[@LINE+1]]: error: the index 1099511627776 does not fit 32 bits, in which a thread counts; use one between -2147483648 and 2147483647
      for (Index k : range(1l << 40))
        k + 1;
    });
  });
}
