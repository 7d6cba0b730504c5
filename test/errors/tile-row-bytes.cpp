// TMA and the swizzle move 16 bytes at a time.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 60});
    // CHECK: tile-row-bytes.cpp:[[@LINE+1]]: error: the shared tile (64,60) has rows of 120 bytes (60 elements of 2); TMA needs a multiple of 16: use a multiple of 8 elements
    Pipeline ring = pipeline(2, smem(bf16, {64, 60}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] { ring.release(ring.wait()); });
  });
}
