// What is combined with memory reads it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {size("M"), size("N")});
    SharedTile tile = shared(f32, {64, 32});
    role("math", warps(4), [&] {
      store(tile, zeros(f32, {64, 32}));
      // CHECK: copy-added-to-output.cpp:[[@LINE+1]]: error: tensor 'D' is an output and what it holds is combined with more here; declare it with inout()
      copy(tile, D.at({0, 0}), Reduction::add);
    });
  });
}
