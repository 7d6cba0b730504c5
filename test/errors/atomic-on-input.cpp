// An input is not written.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {size("N")});
    Tensor D = output("D", f32, {size("M")});
    SharedTile tile = shared(f32, {8});
    role("math", warps(4), [&] {
      // CHECK: atomic-on-input.cpp:[[@LINE+1]]: error: tensor 'X' is an input and what it holds is combined with more here; declare it with inout()
      atomic_add(X.at({0}), convert(Index(1), f32));
    });
  });
}
