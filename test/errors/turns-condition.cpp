// How many stages an iteration takes the other groups of warps know.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 1024});
    Pipeline ring = pipeline(4, smem(bf16, {64, 64}));
    role("load", in_turns(2, warps(1)), [&] {
      for (Index k : in_turns(range(16)))
        // CHECK: turns-condition.cpp:[[@LINE+1]]: error: role 'load' takes the iterations of a loop in turns, and whether it takes a stage here, or how many, is not known to the other groups of warps: take stages directly in the loop
        for (Index i : range(2)) {
          Stage s = ring.acquire();
          copy(A.tile({0, k + i}), s[0]);
          ring.commit(s);
        }
    });
    role("math", warpgroups(1), [&] {
      for ([[maybe_unused]] Index k : range(32))
        ring.release(ring.wait());
    });
  });
}
