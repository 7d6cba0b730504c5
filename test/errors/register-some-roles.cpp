// A budget on one role takes from the others what they are not told.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("load", warps(1), registers(40), [] {});
    // CHECK
    role("math", warpgroups(1), [] {});
  });
}
