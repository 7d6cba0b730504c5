// tf32 is a format of memory.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      // CHECK: fragment-type.cpp:[[@LINE+1]]: error: a fragment can't hold tf32; use f32
      zeros(tf32, {64, 64});
    });
  });
}
