// The roles of each CTA fill and drain its stages.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {128, 64}), D = output("D", f32, {128, 64});
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    Pipeline ring = pipeline(2, smem(f32, {64, 64}));
    role("load", warps(1), [&] {
      for (auto [m] : tiles) {
        Stage s = ring.acquire();
        copy(X.tile({m, 0}), s[0]);
        ring.commit(s);
      }
    });
    role("store", warps(4), [&] {
      for (auto [m] : tiles) {
        Stage s = ring.wait();
        // CHECK: peer-of-a-stage.cpp:[[@LINE+1]]: error: peer is given a tile of a stage, which only this CTA's roles fill and drain; give it a tile that shared() made
        store(D.tile({m, 0}), load(s[0].peer(0)));
        ring.release(s);
      }
    });
  });
}
