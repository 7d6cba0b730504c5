// More stages than shared memory has room for barriers.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    pipeline(1l << 60, smem(bf16, {64, 64}));
  });
}
