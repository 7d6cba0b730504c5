// A stage that is larger than shared memory.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    // CHECK: shared-memory-of-one-stage.cpp:[[@LINE+1]]: error: kernel 'k' needs 262160 bytes of shared memory, 29712 over the limit of 232448: not even one of this pipeline's stages of 262160 bytes would fit; use smaller tiles
    Pipeline ring = pipeline(1, smem(bf16, {512, 256}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] { ring.release(ring.wait()); });
  });
}
