// Nothing is converted on the way.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", bf16, {64});
    role("math", warps(1), [&] {
      // CHECK: scatter-type.cpp:[[@LINE+1]]: error: tensor 'D' holds bf16 and the fragment f32; convert the fragment
      scatter(D, {columns({1, 64})}, zeros(f32, {1, 64}));
    });
  });
}
