// Without roles nothing runs, whatever stands in the kernel.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    Tensor X = input("X", f32, {M, 64}), Y = output("Y", f32, {M, 64});
    // CHECK: kernel-without-roles.cpp:[[@LINE+1]]: error: this stands outside every role, and only roles run: move it into one, such as role("math", warpgroups(1), [&] { ... })
    for (auto [m, n] : persistent({M, Index(64)}, {64, 64}))
      store(Y.tile({m, n}), load(X.tile({m, n}), {64, 64}) * 2);
  });
}
