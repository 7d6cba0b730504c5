// What is only stored is not computed with.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor W = input("W", s4, {64, 64});
    role("math", warpgroups(1), [&] {
      Fragment w = load(W.at({0, 0}), {64, 64});
      // CHECK: nibbles-arithmetic.cpp:[[@LINE+1]]: error: nothing is computed with s4, and this fragment is 64x64 s4: convert it first, to f32 or bf16 say
      w = w * 2;
    });
  });
}
