// wgmma reads the shared memory of its own CTA.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {128, 64});
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    SharedTile tile = shared(bf16, {64, 64});
    role("all", warpgroups(1), [&] {
      Index other = 1 - cluster_rank();
      for (auto [m] : tiles) {
        store(tile, zeros(bf16, {64, 64}));
        cluster_sync();
        // CHECK: peer-multiplied.cpp:[[@LINE+1]]: error: mma is given the tile of another CTA, which only load, store, slice and a copy to it reach: load it, or store it to a tile of this CTA first
        store(D.tile({m, 0}), mma(tile, tile.peer(other).T()));
        cluster_sync();
      }
    });
  });
}
