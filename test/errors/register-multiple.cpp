// A budget that setmaxnreg can't express.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    role("math", warpgroups(1), registers(100), [] {});
  });
}
