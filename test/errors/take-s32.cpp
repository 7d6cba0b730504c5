// A counter is awaited, not taken.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor done = inout("Done", s32, {N}, align(4));
    Tensor D = output("D", s32, {N});
    role("all", warps(4), [&] {
      // CHECK: take-s32.cpp:[[@LINE+1]]: error: take moves f32, and the tensor has s32: declare it as f32, or tell by signal and await that something is there
      store(D.at({0}), take(done.at({0}), {128}));
    });
  });
}
