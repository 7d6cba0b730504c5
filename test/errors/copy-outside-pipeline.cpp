// An asynchronous copy completes on a stage.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    SharedTile staged = shared(bf16, {64, 64});
    role("load", warps(1), [&] {
      // CHECK
      copy(A.tile({0, 0}), staged);
    });
  });
}
