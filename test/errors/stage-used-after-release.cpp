// Behind its release a stage may be overwritten.
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
      ring.release(s);
      // CHECK: stage-used-after-release.cpp:[[@LINE+1]]: error: this reads a stage that has been released: move the release behind its last use
      load(s[0]);
    });
  });
}
