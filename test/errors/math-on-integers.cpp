// There is no exponential of integers.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK
      exp2(zeros(s32, {64, 64}));
    });
  });
}
