// What one fills is not what one reads.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {256, 64}), D = output("D", f32, {256, 64});
    Pipeline ring = pipeline(3, smem(f32, {64, 64}));
    role("all", warps(4), [&] {
      // CHECK: stage-variable-of-two-sides.cpp:[[@LINE+1]]: error: the variable of the stage acquired here is assigned one waited for: use a variable for each
      Stage s = ring.acquire();
      for (Index i : range(4)) {
        copy(X.tile({i, 0}), s[0]);
        ring.commit(s);
        s = ring.wait();
        store(D.tile({i, 0}), load(s[0]));
        ring.release(s);
      }
    });
  });
}
