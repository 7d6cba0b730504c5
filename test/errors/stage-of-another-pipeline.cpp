// A stage goes back to where it came from.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Pipeline other = pipeline(2, smem(bf16, {64, 64}));
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      // CHECK: stage-of-another-pipeline.cpp:[[@LINE+1]]: error: release names the stage taken at stage-of-another-pipeline.cpp:[[@LINE-1]], which is of another pipeline than the one declared at stage-of-another-pipeline.cpp:[[@LINE-10]]; release it to the pipeline it came from
      other.release(s);
    });
  });
}
