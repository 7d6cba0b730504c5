// An index is read of integers.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {size("N")});
    Tensor D = output("D", f32, {size("M")});
    SharedTile tile = shared(f32, {8});
    role("math", warps(4), [&] {
      // CHECK: index-of-floats.cpp:[[@LINE+1]]: error: load_index reads f32; an index is read of s32, s16, s8 or u8: use load_scalar
      load_index(X.at({0}));
    });
  });
}
