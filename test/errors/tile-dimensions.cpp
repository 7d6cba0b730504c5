// A tile has at most the dimensions of its tensor.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {4096});
    role("math", warpgroups(1), [&] {
      // CHECK
      load(A.tile({0}), {64, 64});
    });
  });
}
