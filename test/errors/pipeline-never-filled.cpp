// A pipeline without a producer.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      load(s[0]);
      ring.release(s);
    });
  });
}
