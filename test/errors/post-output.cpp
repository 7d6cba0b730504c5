// Who takes what is posted leaves zeros, so that both read and write it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor box = output("Box", f32, {N});
    role("all", warps(4), [&] {
      // CHECK: post-output.cpp:[[@LINE+1]]: error: tensor 'Box' is an output and CTAs hand fragments on through it here; declare it with inout()
      post(box.at({0}), zeros(f32, {128}));
    });
  });
}
