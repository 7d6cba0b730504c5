// Roles that together have more warps than a CTA.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK: warps-of-all-roles.cpp:[[@LINE+1]]: error: kernel 'k' has 33 warps with all its roles; a CTA has at most 32: give a role fewer
  return kernel("k", [] {
    role("load", warps(1), [] {});
    role("math", warpgroups(8), [] {});
  });
}
