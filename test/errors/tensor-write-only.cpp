// An output is not read.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: tensor-write-only.cpp:[[@LINE+1]]: error: tensor 'D' is an output and is read here; declare it with input() or inout()
      load(D.tile({0, 0}), {64, 64});
    });
  });
}
