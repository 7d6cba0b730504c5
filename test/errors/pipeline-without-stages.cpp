// A pipeline needs at least one stage.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    pipeline(0, smem(bf16, {64, 64}));
  });
}
