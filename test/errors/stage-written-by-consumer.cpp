// A stage that was waited for is there to be read.
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
      // CHECK: stage-written-by-consumer.cpp:[[@LINE+1]]: error: this writes into a stage that was waited for, which is there to be read: write into a stage from acquire, or store to one that its producer has committed without filling it
      store(s[0], zeros(bf16, {64, 64}));
      ring.release(s);
    });
  });
}
