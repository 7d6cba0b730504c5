// An input is not written.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      store(A.tile({0, 0}), zeros(f32, {64, 64}));
    });
  });
}
