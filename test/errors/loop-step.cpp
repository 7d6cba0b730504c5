// A loop that would not end.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK
      for (Index k : range(0, 8, 0))
        k + 1;
    });
  });
}
