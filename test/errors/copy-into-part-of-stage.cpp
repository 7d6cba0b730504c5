// A copy fills tiles of a stage as they were declared.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {128, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK: copy-into-part-of-stage.cpp:[[@LINE+1]]: error: copy writes whole tiles of a stage, as they were declared; this is a part or another view of one
      copy(A.tile({0, 0}), slice(s[0], {0, 0}, {32, 64}));
      ring.commit(s);
    });
  });
}
