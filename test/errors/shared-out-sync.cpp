// A group of warps without a tile does not come to the barrier.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor Y = output("Y", f32, {48, 64});
    Barrier meeting = barrier("meeting");
    TileLoop tiles = persistent({48}, {16});
    role("fill", in_turns(2, warps(1)), [&] {
      for (auto [m] : tiles) {
        store(Y.tile({m, 0}), zeros(f32, {16, 64}));
        // CHECK: shared-out-sync.cpp:[[@LINE+1]]: error: role 'fill' shares out the tiles of this loop among 2 groups of warps, and a barrier waits for all of them, of which some may have a tile less: meet behind the loop
        meeting.sync();
      }
    });
  });
}
