// A copy sees no tile with its dimensions exchanged.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK: copy-of-transposed-view.cpp:[[@LINE+1]]: error: copy is given a transposed view; only load, store and mma accept .T()
      copy(A.tile({0, 0}), s[0].T());
      ring.commit(s);
    });
  });
}
