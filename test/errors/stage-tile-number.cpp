// A stage has the tiles that the pipeline was given.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK: stage-tile-number.cpp:[[@LINE+1]]: error: the stage has 1 tiles, numbered from 0; it has no tile 1
      copy(A.tile({0, 0}), s[1]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] { ring.release(ring.wait()); });
  });
}
