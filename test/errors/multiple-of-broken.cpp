// A promise that is broken as it is made.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 32}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK: multiple-of-broken.cpp:[[@LINE+1]]: error: multiple_of promises that 12 is a multiple of 8, which it is not; correct one of them
      copy(A.at({0, multiple_of(12, 8)}), s[0]);
      ring.commit(s);
    });
  });
}
