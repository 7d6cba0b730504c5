// One element has no shape.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor X = input("X", f32, {64});
    role("math", warps(1), [&] {
      // CHECK: gather-of-one.cpp:[[@LINE+1]]: error: no coordinate of gather is a fragment, so the result has no shape; load_index and load_scalar read one element
      gather(X, {Index(3)});
    });
  });
}
