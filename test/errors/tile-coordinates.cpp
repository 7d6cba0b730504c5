// One coordinate for each dimension of the tensor.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      load(A.tile({0}), {64, 64});
    });
  });
}
