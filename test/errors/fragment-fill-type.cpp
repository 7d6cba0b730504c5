// A fill does not convert.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Scalar alpha = scalar("alpha", f32);
    role("math", warpgroups(1), [&] {
      // CHECK
      full(bf16, {64, 64}, alpha);
    });
  });
}
