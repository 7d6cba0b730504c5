// A variable holds a stage in each iteration, or in none.
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
      // CHECK: stage-carried-released.cpp:[[@LINE+1]]: error: before the loop the variable of the stage waited for here is not released, and at the end of its body it is: release it on both ways, or on neither
      Stage s = ring.wait();
      store(D.tile({0, 0}), load(s[0]));
      for (Index i : range(1, 4)) {
        ring.release(s);
        s = ring.wait();
        store(D.tile({i, 0}), load(s[0]));
        ring.release(s);
      }
    });
  });
}
