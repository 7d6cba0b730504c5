// A tile of rows that TMA boxes can't share evenly.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {521, 64});
    Pipeline ring = pipeline(1, smem(bf16, {521, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] { ring.release(ring.wait()); });
  });
}
