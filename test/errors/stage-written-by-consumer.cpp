// Who waits for a stage may store to it, and copies nothing into it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      // CHECK: stage-written-by-consumer.cpp:[[@LINE+1]]: error: this copies into a stage that was waited for, and copies complete where a producer commits: copy into a stage from acquire, or store a fragment
      copy(A.tile({0, 0}), s[0]);
      ring.release(s);
    });
  });
}
