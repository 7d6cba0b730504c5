// The tile is written again while the copy engine may still read it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    SharedTile a = shared(f32, {64, 64}), b = shared(f32, {64, 64});
    role("all", warps(4), [&] {
      for (auto [m] : tiles) {
        store(a, zeros(f32, {64, 64}));
        // CHECK: peer-copy-written.cpp:[[@LINE+3]]: error: this writes a tile that a copy to a peer may still read: call cluster_sync() before it
        copy(slice(a, {8, 0}, {8, 64}),
             slice(b.peer(1 - cluster_rank()), {8, 0}, {8, 64}));
        store(a, full(f32, {64, 64}, 1));
        cluster_sync();
      }
    });
  });
}
