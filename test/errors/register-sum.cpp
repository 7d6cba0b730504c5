// Budgets that add up to more than a CTA has.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK
  return kernel("k", [] {
    role("load", warps(4), registers(40), [] {});
    role("math", warpgroups(3), registers(240), [] {});
  });
}
