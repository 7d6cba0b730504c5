// What roles share is declared before them.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("load", warps(1), [] {
      // CHECK
      pipeline(2, smem(bf16, {64, 64}));
    });
  });
}
