// Atomic operations are of the tensor's type.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {size("N")});
    Tensor D = inout("D", f32, {size("M")});
    SharedTile tile = shared(f32, {8});
    role("math", warps(4), [&] {
      // CHECK: atomic-add-type.cpp:[[@LINE+1]]: error: tensor 'D' holds f32 and the value holds s32; nothing is converted on the way: declare both with one type, or convert a fragment
      atomic_add(D.at({0}), 1);
    });
  });
}
