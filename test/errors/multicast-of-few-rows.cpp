// Each CTA fetches its share of the rows.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {1024, 64});
    cluster({1, 8});
    TileLoop tiles = grid({1024, 1024}, {32, 128});
    Pipeline ring = pipeline(2, smem(bf16, {32, 64}));
    role("load", warps(1), [&] {
      for (auto [m, n] : tiles) {
        Stage s = ring.acquire();
        // CHECK: multicast-of-few-rows.cpp:[[@LINE+1]]: error: a multicast to 8 CTAs splits this tile of 32 rows into as many slices of whole swizzle atoms (8 rows): make the rows a multiple of 64
        copy(A.tile({m, 0}), s[0], multicast);
        ring.commit(s);
      }
    });
    role("math", warpgroups(1), [&] {
      for (auto [m, n] : tiles)
        ring.release(ring.wait());
    });
  });
}
