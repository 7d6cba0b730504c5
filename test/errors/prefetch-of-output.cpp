// What a kernel only writes is not worth fetching.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    role("load", warps(1), [&] {
      // CHECK: prefetch-of-output.cpp:[[@LINE+1]]: error: tensor 'D' is an output and is read here; declare it with input() or inout()
      prefetch(D.tile({0, 0}), {64, 64});
    });
  });
}
