// A pipeline needs at least one stage.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: pipeline-without-stages.cpp:[[@LINE+1]]: error: the pipeline has 0 stages; it has 1 to 14528
    pipeline(0, smem(bf16, {64, 64}));
  });
}
