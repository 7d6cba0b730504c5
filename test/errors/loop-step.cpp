// A loop that would not end.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: loop-step.cpp:[[@LINE+1]]: error: the range has the step 0; a step is at least 1
      for (Index k : range(0, 8, 0))
        k + 1;
    });
  });
}
