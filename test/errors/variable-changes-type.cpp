// What a loop carries keeps its type.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    role("math", warpgroups(1), [] {
      Fragment sum = zeros(f32, {64, 64});
      for (Index i : range(4))
        // CHECK
        sum = convert(sum, bf16);
    });
  });
}
