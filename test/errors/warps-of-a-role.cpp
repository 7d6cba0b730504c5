// A role of more warps than a CTA has.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    role("math", warpgroups(9), [] {});
  });
}
