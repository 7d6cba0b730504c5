// A role of more warps than a CTA has.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: warps-of-a-role.cpp:[[@LINE+1]]: error: role 'math' has 36 warps; a role has 1 to 32
    role("math", warpgroups(9), [] {});
  });
}
