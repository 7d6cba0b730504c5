// What a variable held is released before it holds another.
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
      // CHECK: stage-overwritten.cpp:[[@LINE+1]]: error: the stage waited for here is not released by the end of the loop body: add a release behind its last use
      Stage before = ring.wait();
      for (Index i : range(1, 4)) {
        Stage s = ring.wait();
        store(D.tile({i, 0}), load(before[0]) + load(s[0]));
        before = s;
      }
      ring.release(before);
    });
  });
}
