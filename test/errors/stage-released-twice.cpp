// The second release would free a stage of another round.
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
      load(s[0]);
      ring.release(s);
      // CHECK: stage-released-twice.cpp:[[@LINE+1]]: error: this releases a stage that has been released already: remove one of the two
      ring.release(s);
    });
  });
}
