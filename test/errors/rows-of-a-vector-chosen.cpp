// A vector has no rows to choose.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {64, 64});
    Tensor R = input("R", s32, {64});
    role("math", warps(1), [&] {
      // CHECK: rows-of-a-vector-chosen.cpp:[[@LINE+1]]: error: rows are chosen of a tile of 1 dimensions; it has two or more
      load(X.at({0, 0}).rows(R.at({0})), {64});
    });
  });
}
