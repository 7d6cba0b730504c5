// Warpgroups share out stages with the tiles.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    TileLoop tiles = persistent({1024}, {64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", ping_pong(2), [&] {
      // CHECK: ping-pong-stage-of-no-tile.cpp:[[@LINE+1]]: error: role 'math' is in ping-pong with other warpgroups, and the stage that it takes here is no tile's: take it in the tile loop, directly in the role
      ring.release(ring.wait());
    });
  });
}
