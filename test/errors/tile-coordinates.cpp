// One coordinate for each dimension of the tensor.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: tile-coordinates.cpp:[[@LINE+1]]: error: tensor 'A' has 2 dimensions and tile() gives 1 coordinates; give one for each dimension
      load(A.tile({0}), {64, 64});
    });
  });
}
