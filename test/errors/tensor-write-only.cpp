// An output is not read.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      load(D.tile({0, 0}), {64, 64});
    });
  });
}
