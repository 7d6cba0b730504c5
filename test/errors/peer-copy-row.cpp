// The copy engine moves units of 16 bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    SharedTile a = shared(f32, {6}), b = shared(f32, {6});
    role("all", warps(1), [&] {
      for (auto [m] : tiles) {
        store(a, zeros(f32, {6}));
        // CHECK: peer-copy-row.cpp:[[@LINE+1]]: error: the tile has rows of 24 bytes, and the copy engine moves whole 16
        copy(a, b.peer(1 - cluster_rank()));
        cluster_sync();
      }
    });
  });
}
