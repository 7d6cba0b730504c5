// One after another go warpgroups, not warps.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor Y = output("Y", f32, {64});
    role("store", warps(2), [&] {
      // CHECK: in-order-of-warps.cpp:[[@LINE+1]]: error: in_order is for the warpgroups of a role that is run once, such as role("math", warpgroups(2), ...)
      in_order([&] { store(Y.at({0}), zeros(f32, {64})); });
    });
  });
}
