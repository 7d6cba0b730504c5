// From shared to global memory there is only TMA.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", bf16, {64, 64}, align(8));
    SharedTile staged = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      store(staged, zeros(bf16, {64, 64}));
      // CHECK
      copy(staged, D.tile({0, 0}));
    });
  });
}
