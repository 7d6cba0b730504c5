// Only roles do work.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    // CHECK
    Stage s = ring.wait();
    role("math", warpgroups(1), [&] { ring.release(s); });
  });
}
