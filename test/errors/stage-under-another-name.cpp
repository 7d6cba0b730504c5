// A stage that a loop carries is the variable's alone.
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
      Stage first = ring.wait(), before = first;
      for (Index i : range(1, 4)) {
        Stage s = ring.wait();
        store(D.tile({i, 0}), load(before[0]) + load(s[0]));
        ring.release(before);
        before = s;
      }
      // CHECK: stage-under-another-name.cpp:[[@LINE+1]]: error: this releases a stage that has been assigned to another variable, and is that one's alone since then: use that one
      ring.release(first);
    });
  });
}
