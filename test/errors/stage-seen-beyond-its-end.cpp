// What is seen in the place of a tile lies inside it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
      ring.commit(ring.acquire());
    });
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      load(s[0]);
      ring.release(s);
      Stage reused = ring.wait();
      // CHECK: stage-seen-beyond-its-end.cpp:[[@LINE+1]]: error: the shared tile has 8192 bytes, room for 2 tiles of 32x32 f32, counted from 0; there is no tile 2
      SharedTile staging = reused[0].as(f32, {32, 32}, 2);
      store(staging, zeros(f32, {32, 32}));
      ring.release(reused);
    });
  });
}
