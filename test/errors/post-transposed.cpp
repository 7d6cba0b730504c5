// What is posted lies as the fragment does.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor box = inout("Box", f32, {N, N});
    role("all", warps(4), [&] {
      // CHECK: post-transposed.cpp:[[@LINE+1]]: error: post is given the transpose of a tile in global memory: leave out .T()
      post(box.at({0, 0}).T(), zeros(f32, {16, 32}));
    });
  });
}
