// A prefetch is a TMA instruction.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64}, align(8));
    role("load", warps(1), [&] {
      // CHECK: prefetch-of-unaligned-tensor.cpp:[[@LINE+1]]: error: tensor 'A' is aligned to 8 bytes; a prefetch is TMA and needs 16: leave it out, or declare align(16)
      prefetch(A.tile({0, 0}), {64, 64});
    });
  });
}
