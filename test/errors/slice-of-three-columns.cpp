// Each thread has to hold as many elements of a part.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {24, 64});
    Tensor D = output("D", f32, {64, 3});
    role("math", warpgroups(1), [&] {
      Fragment acc = mma(a, b.T(), zeros(f32, {64, 24}));
      // CHECK: slice-of-three-columns.cpp:[[@LINE+1]]: error: the 192 elements of a fragment (64,3) do not divide among 128 threads: use a multiple of 128 elements or 64 threads
      store(D.tile({0, 0}), slice(acc, {0, 9}, {64, 3}));
    });
  });
}
