// How many stages a tile takes every warpgroup must be able to compute.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {1024, 64});
    TileLoop tiles = persistent({1024}, {64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Index length = 1;
      for (auto [m] : tiles) {
        for (Index k : range(length)) {
          Stage s = ring.acquire();
          copy(A.tile({m, 0}), s[0]);
          ring.commit(s);
        }
        length = length + 1;
      }
    });
    role("math", ping_pong(2), [&] {
      // CHECK: ping-pong-own-count.cpp:[[@LINE+1]]: error: role 'math' is in ping-pong with other warpgroups, and how many stages a tile takes depends on this value, which only its own warpgroup computes: let it depend on sizes and tile coordinates alone
      Index length = 1;
      for (auto [m] : tiles) {
        for (Index k : range(length))
          ring.release(ring.wait());
        length = length + 1;
      }
    });
  });
}
