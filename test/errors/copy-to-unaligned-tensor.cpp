// From shared to global memory there is only TMA.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", bf16, {64, 64}, align(8));
    SharedTile staged = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      store(staged, zeros(bf16, {64, 64}));
      // CHECK: copy-to-unaligned-tensor.cpp:[[@LINE+1]]: error: tensor 'D' is aligned to 8 bytes; a copy from shared to global is TMA and needs 16: store the fragment instead, or declare align(16)
      copy(staged, D.tile({0, 0}));
    });
  });
}
