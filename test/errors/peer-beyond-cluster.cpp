// The cluster has two CTAs, 0 and 1.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    SharedTile tile = shared(f32, {64, 64});
    role("all", warps(4), [&] {
      for (auto [m] : tiles)
        // CHECK: peer-beyond-cluster.cpp:[[@LINE+1]]: error: peer names the CTA 2 of a cluster of 2; they are numbered from 0
        store(tile.peer(2), zeros(f32, {64, 64}));
    });
  });
}
