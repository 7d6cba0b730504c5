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
        // CHECK
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
