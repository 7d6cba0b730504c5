// Whose turn it is has it already.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor Y = output("Y", f32, {128, 64});
    role("store", warpgroups(2), [&] {
      in_order([&] {
        // CHECK: in-order-twice.cpp:[[@LINE+1]]: error: in_order is in the body of another: leave one of them out
        in_order([&] { store(Y.at({0, 0}), zeros(f32, {128, 64})); });
      });
    });
  });
}
