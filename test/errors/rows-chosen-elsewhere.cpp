// TMA takes no indices.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {64, 64});
    Tensor R = input("R", s32, {64});
    role("math", warps(1), [&] {
      // CHECK: rows-chosen-elsewhere.cpp:[[@LINE+1]]: error: the rows are chosen by tensor 'R'; only load, store and copy into a stage take rows by indices, and copy no multicast
      prefetch(X.at({0, 0}).rows(R.at({0})), {16, 64});
    });
  });
}
