// Rows of 128 bytes are swizzled otherwise than halves of longer ones.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    SharedTile a = shared(f32, {64, 16}), b = shared(f32, {64, 32});
    role("all", warps(4), [&] {
      for (auto [m] : tiles) {
        store(a, zeros(f32, {64, 16}));
        // CHECK: peer-copy-in-pieces.cpp:[[@LINE+1]]: error: the copy to a peer moves bytes as they lie, and what it copies lies in 169 pieces of what it copies to; 64 are the most: copy whole tiles, or parts as wide as their tiles, which have one shape, or store(target, load(source))
        copy(a, slice(b.peer(1 - cluster_rank()), {0, 0}, {64, 16}));
        cluster_sync();
      }
    });
  });
}
