// What the kernel only writes is not read.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {size("N")});
    Tensor D = output("D", f32, {size("M")});
    SharedTile tile = shared(f32, {8});
    role("math", warps(4), [&] {
      // CHECK: value-of-output.cpp:[[@LINE+1]]: error: tensor 'D' is an output and is read here; declare it with input() or inout()
      load_scalar(D.at({0}));
    });
  });
}
