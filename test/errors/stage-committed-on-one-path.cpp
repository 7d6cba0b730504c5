// Where the condition is false the consumer waits for ever.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      for (Index i : range(8)) {
        // CHECK: stage-committed-on-one-path.cpp:[[@LINE+1]]: error: the stage acquired here is committed on one path and not on the other: commit it on both, or behind the conditional
        Stage s = ring.acquire();
        when(i < 4, [&] {
          copy(A.tile({i, 0}), s[0]);
          ring.commit(s);
        });
      }
    });
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      ring.release(s);
    });
  });
}
