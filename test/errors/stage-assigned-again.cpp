// An iteration assigns what it has taken, not what the one before did.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {256, 64}), D = output("D", f32, {256, 64});
    Pipeline ring = pipeline(3, smem(f32, {64, 64}));
    role("load", warps(1), [&] {
      for (Index i : range(4)) {
        Stage s = ring.acquire();
        copy(X.tile({i, 0}), s[0]);
        ring.commit(s);
      }
    });
    role("sum", warps(4), [&] {
      Stage s = ring.wait();
      // CHECK: stage-assigned-again.cpp:[[@LINE+1]]: error: the stage waited for here is assigned in a loop, again in each iteration: take the stage in the loop, or assign it before
      Stage other = ring.wait();
      for (Index i : range(1, 3)) {
        store(D.tile({i, 0}), load(s[0]));
        ring.release(s);
        s = other;
      }
      ring.release(s);
    });
  });
}
