// A budget on one role takes from the others what they are not told.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("load", warps(1), registers(40), [] {});
    // CHECK: register-some-roles.cpp:[[@LINE+1]]: error: role 'math' has no register budget while another role has one: give registers(n) to all of them or to none
    role("math", warpgroups(1), [] {});
  });
}
