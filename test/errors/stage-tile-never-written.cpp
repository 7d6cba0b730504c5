// A tile of the stages that no role writes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}), smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      // CHECK: stage-tile-never-written.cpp:[[@LINE+1]]: error: this reads tile 1 of a stage, which no role writes: copy or write it between acquire and commit
      load(s[1]);
      ring.release(s);
    });
  });
}
