// TMA may fill the stage again while the copy engine still reads it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {128, 64});
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    Pipeline ring = pipeline(2, smem(f32, {64, 64}));
    SharedTile b = shared(f32, {64, 64});
    role("load", warps(1), [&] {
      for (auto [m] : tiles) {
        Stage s = ring.acquire();
        copy(X.tile({m, 0}), s[0]);
        ring.commit(s);
      }
    });
    role("send", warps(1), [&] {
      for (auto [m] : tiles) {
        Stage s = ring.wait();
        // CHECK: peer-copy-released.cpp:[[@LINE+2]]: error: this releases a stage that a copy to a peer may still read: call cluster_sync() before it
        copy(s[0], b.peer(1 - cluster_rank()));
        ring.release(s);
        cluster_sync();
      }
    });
  });
}
