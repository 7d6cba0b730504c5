// An element that tells by its bits that it is there has 32 of them.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor X = input("X", f16, {N});
    Tensor box = inout("Box", f32, {N});
    role("all", warps(4), [&] {
      // CHECK: post-f16.cpp:[[@LINE+1]]: error: post moves f32; this fragment is 128 f16: convert it first
      post(box.at({0}), load(X.at({0}), {128}));
    });
  });
}
