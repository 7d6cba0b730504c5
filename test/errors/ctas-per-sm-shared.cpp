// Stages that would fit if the CTA had the SM for itself.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    ctas_per_sm(2);
    // CHECK: ctas-per-sm-shared.cpp:[[@LINE+1]]: error: kernel 'k' needs 131200 bytes of shared memory, 15488 over the limit of 115712 of each of 2 CTAs per SM: of this pipeline's stages of 16400 bytes, 7 would fit instead of 8
    Pipeline ring = pipeline(8, smem(f32, {4096}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      ring.commit(s);
    });
    role("math", warps(4), [&] {
      Stage s = ring.wait();
      ring.release(s);
    });
  });
}
