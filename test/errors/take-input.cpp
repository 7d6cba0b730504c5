// What is taken is zeros behind it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor box = input("Box", f32, {N});
    Tensor D = output("D", f32, {N});
    role("all", warps(4), [&] {
      // CHECK: take-input.cpp:[[@LINE+1]]: error: tensor 'Box' is an input and CTAs hand fragments on through it here; declare it with inout()
      store(D.at({0}), take(box.at({0}), {128}));
    });
  });
}
