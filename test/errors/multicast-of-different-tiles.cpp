// Each CTA of the cluster wants a tile of its own.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {1024, 64});
    cluster({2, 1});
    TileLoop tiles = grid({1024, 1024}, {128, 128});
    Pipeline ring = pipeline(2, smem(bf16, {128, 64}));
    role("load", warps(1), [&] {
      for (auto [m, n] : tiles) {
        Stage s = ring.acquire();
        // CHECK: multicast-of-different-tiles.cpp:[[@LINE+1]]: error: this copy is multicast, but each CTA of the cluster wants another tile, or elsewhere: its coordinates, or where it goes, depend on every dimension of the cluster; leave multicast out
        copy(A.tile({m, 0}), s[0], multicast);
        ring.commit(s);
      }
    });
    role("math", warpgroups(1), [&] {
      for (auto [m, n] : tiles)
        ring.release(ring.wait());
    });
  });
}
