// Roles stand side by side.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("load", warps(1), [] {
      // CHECK
      role("math", warps(1), [] {});
    });
  });
}
