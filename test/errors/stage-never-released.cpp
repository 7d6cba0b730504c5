// A stage that is waited for and kept.
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
      for (Index i : range(2)) {
        // CHECK: stage-never-released.cpp:[[@LINE+1]]: error: the stage waited for here is not released by the end of the loop body: add a release behind its last use
        Stage s = ring.wait();
        load(s[0]);
      }
      ring.release(ring.wait());
    });
  });
}
