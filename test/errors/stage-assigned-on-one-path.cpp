// A stage that a branch assigns is released in the other arm.
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
      Stage before = ring.wait();
      for (Index i : range(1, 4)) {
        // CHECK: stage-assigned-on-one-path.cpp:[[@LINE+1]]: error: the stage waited for here is assigned to another variable on one path and not on the other: release it on the other
        Stage s = ring.wait();
        store(D.tile({i, 0}), load(s[0]));
        when(i > 2, [&] {
          ring.release(before);
          before = s;
        });
      }
      ring.release(before);
    });
  });
}
