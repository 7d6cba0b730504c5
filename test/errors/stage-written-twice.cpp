// A copy into a stage comes in any order with what its threads store there.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      store(s[0], zeros(bf16, {64, 64}));
      // CHECK: stage-written-twice.cpp:[[@LINE+1]]: error: this writes elements of tile 0 of a stage that are written before it, and a copy comes in any order with what else is written until the stage is full: write each element once, or wait for the stage and store to it then
      copy(A.tile({0, 0}), slice(s[0], {0, 0}, {32, 64}));
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] { ring.release(ring.wait()); });
  });
}
