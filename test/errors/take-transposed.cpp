// Rows are posted and taken as rows.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor box = inout("Box", f32, {N, N});
    Tensor D = output("D", f32, {N, N});
    role("all", warps(4), [&] {
      // CHECK: take-transposed.cpp:[[@LINE+1]]: error: take is given the transpose of a tile in global memory: leave out .T()
      store(D.at({0, 0}), take(box.at({0, 0}).T(), {64, 32}));
    });
  });
}
