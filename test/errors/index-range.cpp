// Threads count in 32 bits.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK
      for (Index k : range(1l << 40))
        k + 1;
    });
  });
}
