// A stage that is acquired and forgotten.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      for (Index i : range(2)) {
        Stage s = ring.acquire();
        copy(A.tile({i, 0}), s[0]);
        ring.commit(s);
      }
      // CHECK: stage-never-committed.cpp:[[@LINE+1]]: error: the stage acquired here is not committed by the end of the role: add a commit behind its last use
      Stage last = ring.acquire();
      copy(A.tile({0, 0}), last[0]);
    });
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      ring.release(s);
    });
  });
}
