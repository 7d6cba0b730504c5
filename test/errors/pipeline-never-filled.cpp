// A pipeline without a producer.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: pipeline-never-filled.cpp:[[@LINE+1]]: error: no role commits a stage of this pipeline, so nothing ever arrives: fill it with acquire, copy and commit, or remove it
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      load(s[0]);
      ring.release(s);
    });
  });
}
