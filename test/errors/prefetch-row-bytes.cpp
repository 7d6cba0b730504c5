// A box of TMA has whole units of 16 bytes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    role("load", warps(1), [&] {
      // CHECK: prefetch-row-bytes.cpp:[[@LINE+1]]: error: TMA cannot prefetch this tile: the shared tile (64,60) has rows of 120 bytes (60 elements of 2); TMA needs a multiple of 16: use a multiple of 8 elements
      prefetch(A.tile({0, 0}), {64, 60});
    });
  });
}
