// A stage's parity tells who fills it again that it is empty, where the same
// group of warps has filled it the last time.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 1024});
    Pipeline ring = pipeline(3, smem(bf16, {64, 64}));
    role("load", in_turns(2, warps(1)), [&] {
      // CHECK: turns-stages.cpp:[[@LINE+1]]: error: role 'load' takes the iterations of a loop in turns, and its 2 groups of warps share out a pipeline of 3 stages, of which each has its own: give it a multiple of 2, 1 for each group
      for (Index k : in_turns(range(16))) {
        Stage s = ring.acquire();
        copy(A.tile({0, k}), s[0]);
        ring.commit(s);
      }
    });
    role("math", warpgroups(1), [&] {
      for ([[maybe_unused]] Index k : range(16))
        ring.release(ring.wait());
    });
  });
}
