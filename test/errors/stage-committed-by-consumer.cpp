// commit is for who fills, release for who drains.
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
      // CHECK: stage-committed-by-consumer.cpp:[[@LINE+1]]: error: this commits a stage that was waited for: use release
      ring.commit(s);
    });
  });
}
