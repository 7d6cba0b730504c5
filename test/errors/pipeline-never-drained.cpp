// A pipeline without a consumer.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    // CHECK: pipeline-never-drained.cpp:[[@LINE+1]]: error: no role releases a stage of this pipeline, so its producer stops after 2 stages: drain it with wait and release, or remove it
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      for (Index i : range(8)) {
        Stage s = ring.acquire();
        copy(A.tile({i, 0}), s[0]);
        ring.commit(s);
      }
    });
  });
}
