// Rows are chosen once.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {64, 64});
    Tensor R = input("R", s32, {64});
    role("math", warps(1), [&] {
      // CHECK: rows-chosen-twice.cpp:[[@LINE+1]]: error: the rows are chosen twice: call rows() once, with the indices that both steps give together
      load(X.at({0, 0}).rows(R.at({0})).rows(R.at({16})), {16, 64});
    });
  });
}
