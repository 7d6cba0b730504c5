// A group would fill a stage that another one has filled before.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 1024});
    Pipeline ring = pipeline(4, smem(bf16, {64, 64}));
    Pipeline other = pipeline(4, smem(bf16, {64, 64}));
    role("load", in_turns(2, warps(1)), [&] {
      for (Index k : in_turns(range(5))) {
        Stage s = ring.acquire();
        copy(A.tile({0, k}), s[0]);
        ring.commit(s);
      }
      // CHECK: turns-other-stages.cpp:[[@LINE+1]]: error: role 'load' takes the iterations of a loop in turns, and it takes other stages than the role's loop in turns before it: take the same ones in each
      for (Index k : in_turns(range(5))) {
        Stage s = other.acquire();
        copy(A.tile({0, k}), s[0]);
        other.commit(s);
      }
    });
    role("math", warpgroups(1), [&] {
      for ([[maybe_unused]] Index k : range(5))
        ring.release(ring.wait());
      for ([[maybe_unused]] Index k : range(5))
        other.release(other.wait());
    });
  });
}
