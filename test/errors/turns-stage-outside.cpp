// Each group runs what lies outside of its loops in turns: the stage would be
// taken twice.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {1024, 64});
    TileLoop tiles = persistent({1024}, {64});
    Pipeline ring = pipeline(4, smem(bf16, {64, 64}));
    role("load", in_turns(2, warps(1)), [&] {
      for (auto [m] : tiles) {
        for (Index k : in_turns(range(4))) {
          Stage s = ring.acquire();
          copy(A.tile({m + k, 0}), s[0]);
          ring.commit(s);
        }
        // CHECK: turns-stage-outside.cpp:[[@LINE+1]]: error: role 'load' has several groups of warps, and the stage that it takes here belongs to none of them: take it in a loop over in_turns(range(1))
        ring.commit(ring.acquire());
      }
    });
    role("math", warpgroups(1), [&] {
      for ([[maybe_unused]] auto [m] : tiles)
        for ([[maybe_unused]] Index k : range(5))
          ring.release(ring.wait());
    });
  });
}
