// What is sent to several CTAs arrives in the same place of each.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {1024, 64});
    cluster({2, 1});
    TileLoop tiles = grid({1024, 1024}, {128, 128});
    Pipeline ring = pipeline(2, smem(bf16, {128, 64}));
    role("load", warps(1), [&] {
      Index rank = cluster_rank();
      for (auto [m, n] : tiles) {
        Stage s = ring.acquire();
        // CHECK: multicast-to-a-place-of-its-own.cpp:[[@LINE+1]]: error: this copy is multicast, but each CTA of the cluster wants another tile, or elsewhere: its coordinates, or where it goes, depend on every dimension of the cluster; leave multicast out
        copy(A.tile({n, 0}), slice(s[0], {rank * 64, 0}, {64, 64}), multicast);
        ring.commit(s);
      }
    });
    role("math", warpgroups(1), [&] {
      for (auto [m, n] : tiles)
        ring.release(ring.wait());
    });
  });
}
