// More stages than shared memory holds.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    // CHECK: shared-memory-of-stages.cpp:[[@LINE+1]]: error: kernel 'k' needs 262272 bytes of shared memory, 29824 over the limit of 232448: of this pipeline's stages of 32784 bytes, 7 would fit instead of 8
    Pipeline ring = pipeline(8, smem(bf16, {256, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] { ring.release(ring.wait()); });
  });
}
