// A tile has at most the dimensions of its tensor.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {4096});
    role("math", warpgroups(1), [&] {
      // CHECK: tile-dimensions.cpp:[[@LINE+1]]: error: tensor 'A' has 1 dimensions and the fragment has 2; a tile has at most the dimensions of its tensor
      load(A.tile({0}), {64, 64});
    });
  });
}
