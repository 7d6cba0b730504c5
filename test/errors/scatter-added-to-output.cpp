// What is combined with memory reads it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", s32, {size("M")}, align(4));
    role("math", warps(4), [&] {
      // CHECK: scatter-added-to-output.cpp:[[@LINE+1]]: error: tensor 'D' is an output and what it holds is combined with more here; declare it with inout()
      scatter(D, {columns({64})}, full(s32, {64}, 1), Reduction::add);
    });
  });
}
