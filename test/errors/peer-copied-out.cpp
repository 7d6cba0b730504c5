// TMA reads the shared memory of its own CTA.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {128, 64});
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    SharedTile tile = shared(f32, {64, 64});
    role("all", warps(4), [&] {
      Index other = 1 - cluster_rank();
      for (auto [m] : tiles) {
        store(tile, zeros(f32, {64, 64}));
        // CHECK: peer-copied-out.cpp:[[@LINE+1]]: error: copy is given the tile of another CTA, which only load, store, slice and a copy to it reach: load it, or store it to a tile of this CTA first
        copy(tile.peer(other), D.tile({m, 0}));
      }
    });
  });
}
