// Who waits for its turn does not meet the others.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor Y = output("Y", f32, {128, 64});
    SharedTile t = shared(f32, {128, 64});
    role("math", warpgroups(2), [&] {
      in_order([&] {
        // CHECK: in-order-meets.cpp:[[@LINE+1]]: error: the warpgroups of the role meet here, and in the body of in_order one waits until the one before it is through: move this before or behind in_order
        store(t, zeros(f32, {128, 64}));
        copy(t, Y.at({0, 0}));
      });
    });
  });
}
