// More stages than shared memory has room for barriers.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: pipeline-of-many-stages.cpp:[[@LINE+1]]: error: the pipeline has 1152921504606846976 stages; it has 1 to 14528
    pipeline(1l << 60, smem(bf16, {64, 64}));
  });
}
