// A value has a coordinate for each dimension.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {size("N")});
    Tensor D = output("D", f32, {size("M")});
    SharedTile tile = shared(f32, {8});
    role("math", warps(4), [&] {
      // CHECK: shared-value-rank.cpp:[[@LINE+1]]: error: a value of the shared tile 8 f32 is read at 2 coordinates; give one for each dimension
      load_scalar(tile, {0, 0});
    });
  });
}
