// Indices of rows are s32.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {64, 64});
    Tensor R = input("R", f32, {64});
    role("math", warps(1), [&] {
      // CHECK: rows-by-floats.cpp:[[@LINE+1]]: error: tensor 'R' holds f32; indices of rows are s32
      load(X.at({0, 0}).rows(R.at({0})), {16, 64});
    });
  });
}
