// A copy to a peer moves bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    SharedTile a = shared(f32, {64, 64}), b = shared(f32, {64, 32});
    role("all", warps(4), [&] {
      for (auto [m] : tiles) {
        store(a, zeros(f32, {64, 64}));
        // CHECK: peer-copy-unlike.cpp:[[@LINE+1]]: error: the shared tile is 64x64 f32 and that of the peer 64x32 f32; copy moves bytes as they lie: declare both alike
        copy(a, b.peer(1 - cluster_rank()));
        cluster_sync();
      }
    });
  });
}
