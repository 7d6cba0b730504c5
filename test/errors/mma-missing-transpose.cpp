// B is N×K as it lies in memory; mma takes K×N.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {128, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-missing-transpose.cpp:[[@LINE+1]]: error: mma of A 64x64, B 128x64 and an accumulator of 64x128: A is M×K and B is K×N, and K is 64 and 128; is a .T() missing?
      mma(a, b, zeros(f32, {64, 128}));
    });
  });
}
