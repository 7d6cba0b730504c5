// All groups have all tiles of a loop around turns, and with them each would
// take the stage.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {1024, 64});
    TileLoop tiles = persistent({1024}, {64});
    Pipeline ring = pipeline(4, smem(bf16, {64, 64}));
    Pipeline once = pipeline(2, smem(bf16, {64, 64}));
    role("load", in_turns(2, warps(1)), [&] {
      for (auto [m] : tiles) {
        // CHECK: turns-stage-of-tile.cpp:[[@LINE+1]]: error: role 'load' has several groups of warps, and the stage that it takes here belongs to none of them: take it in a loop over in_turns(range(1))
        Stage first = once.acquire();
        copy(A.tile({m, 0}), first[0]);
        once.commit(first);
        for (Index k : in_turns(range(4))) {
          Stage s = ring.acquire();
          copy(A.tile({m + k, 0}), s[0]);
          ring.commit(s);
        }
      }
    });
    role("math", warpgroups(1), [&] {
      for ([[maybe_unused]] auto [m] : tiles) {
        once.release(once.wait());
        for ([[maybe_unused]] Index k : range(4))
          ring.release(ring.wait());
      }
    });
  });
}
