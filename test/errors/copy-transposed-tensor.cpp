// TMA copies rows to rows.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK: copy-transposed-tensor.cpp:[[@LINE+1]]: error: copy is given the transpose of a tile in global memory; only load, store and inside accept its .T(): transpose the shared tile instead
      copy(A.tile({0, 0}).T(), s[0]);
      ring.commit(s);
    });
  });
}
