// A and B that disagree on K.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 128});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-k-mismatch.cpp:[[@LINE+1]]: error: mma of A 64x64, B 128x64 and an accumulator of 64x64: A is M×K and B is K×N, and K is 64 and 128; is a .T() missing?
      mma(a, b.T(), zeros(f32, {64, 64}));
    });
  });
}
