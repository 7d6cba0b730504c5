// The CTAs may never meet behind the copy, as the loop may not run.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    cluster({2});
    TileLoop tiles = grid({128}, {64});
    SharedTile a = shared(f32, {64, 64}), b = shared(f32, {64, 64});
    role("all", warps(4), [&] {
      store(a, zeros(f32, {64, 64}));
      for (auto [m] : tiles) {
        // CHECK: peer-copy-under-way.cpp:[[@LINE+1]]: error: the role may end while this copy to a peer is under way: call cluster_sync() behind it, on every way to the end
        copy(a, b.peer(1 - cluster_rank()));
        for ([[maybe_unused]] Index i : range(N))
          cluster_sync();
      }
    });
  });
}
