// tf32 is a format of memory.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK
      zeros(tf32, {64, 64});
    });
  });
}
