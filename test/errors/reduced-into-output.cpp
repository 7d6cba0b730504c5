// What is combined with memory reads it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {size("M")}, align(4));
    role("math", warps(4), [&] {
      // CHECK: reduced-into-output.cpp:[[@LINE+1]]: error: tensor 'D' is an output and what it holds is combined with more here; declare it with inout()
      reduce(D.at({0}), zeros(f32, {64}), Reduction::add);
    });
  });
}
