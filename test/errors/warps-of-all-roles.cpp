// Roles that together have more warps than a CTA.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK
  return kernel("k", [] {
    role("load", warps(1), [] {});
    role("math", warpgroups(8), [] {});
  });
}
