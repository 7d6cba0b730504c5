// A copy does not convert.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", f32, {64, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK: copy-type.cpp:[[@LINE+1]]: error: tensor 'A' holds f32 and the shared tile holds bf16; nothing is converted on the way: declare both with one type, or convert a fragment
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
  });
}
