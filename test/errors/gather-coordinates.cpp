// One coordinate for each dimension.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {64, 64});
    role("math", warps(1), [&] {
      // CHECK: gather-coordinates.cpp:[[@LINE+1]]: error: tensor 'X' has 2 dimensions and gather gives 1 coordinates; give one for each dimension
      gather(X, {zeros(s32, {64})});
    });
  });
}
