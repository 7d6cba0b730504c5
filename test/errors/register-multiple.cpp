// A budget that setmaxnreg can't express.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: register-multiple.cpp:[[@LINE+1]]: error: role 'math' has a budget of 100 registers; a budget is a multiple of 8 from 24 to 240
    role("math", warpgroups(1), registers(100), [] {});
  });
}
