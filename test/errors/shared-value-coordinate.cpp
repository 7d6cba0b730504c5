// A value lies in the shared tile.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {size("N")});
    Tensor D = output("D", f32, {size("M")});
    SharedTile tile = shared(f32, {8});
    role("math", warps(4), [&] {
      // CHECK: shared-value-coordinate.cpp:[[@LINE+1]]: error: a value is read at coordinate 8 of a dimension of 8 of the shared tile 8 f32
      load_scalar(tile, {8});
    });
  });
}
