// An input is not written.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: tensor-read-only.cpp:[[@LINE+1]]: error: tensor 'A' is an input and is written here; declare it with output() or inout()
      store(A.tile({0, 0}), zeros(f32, {64, 64}));
    });
  });
}
