// A part is from 0 to 1.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {1024, 64});
    TileLoop tiles = grid({1024}, {64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      for (auto [m] : tiles) {
        Stage s = ring.acquire();
        // CHECK: copy-keeps-more-than-all.cpp:[[@LINE+1]]: error: copy asks L2 to keep a part of 12.500000 of its lines: give one from 0 to 1
        copy(A.tile({m, 0}), s[0], keep(12.5));
        ring.commit(s);
      }
    });
    role("math", warpgroups(1), [&] {
      for (auto [m] : tiles)
        ring.release(ring.wait());
    });
  });
}
