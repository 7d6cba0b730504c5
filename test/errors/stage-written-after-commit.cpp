// Behind its commit a stage may be read.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      ring.commit(s);
      // CHECK: stage-written-after-commit.cpp:[[@LINE+1]]: error: this writes into a stage that has been committed: move the commit behind its last use
      copy(A.tile({0, 0}), s[0]);
    });
    role("math", warpgroups(1), [&] { ring.release(ring.wait()); });
  });
}
