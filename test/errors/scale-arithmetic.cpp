// A scale is converted before anything is scaled.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor S = input("S", e8m0, {64});
    role("math", warps(1), [&] {
      Fragment s = load(S.at({0}), {64});
      // CHECK: scale-arithmetic.cpp:[[@LINE+1]]: error: nothing is computed with e8m0, and this fragment is 64 e8m0: convert it first, to f32 or bf16 say
      Fragment x = zeros(f32, {64, 64}) * along_rows(s);
    });
  });
}
