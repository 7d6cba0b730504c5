// Who holds every stage waits for ever for another.
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
      Stage first = ring.wait(), second = ring.wait();
      // CHECK: stages-all-held.cpp:[[@LINE+1]]: error: role 'math' holds all 2 stages of the pipeline and waits for another: release one first, or give the pipeline more stages
      Stage third = ring.wait();
      ring.release(first);
      ring.release(second);
      ring.release(third);
    });
  });
}
