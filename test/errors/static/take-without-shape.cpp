// A tensor has tiles of many shapes.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor P = inout("P", f32, {64, 64});
    Tensor D = output("D", f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK-DAG: take-without-shape.cpp:[[@LINE+2]]:
      // CHECK-DAG: error: static assertion failed{{.*}}take takes the shape of the tile that was posted: take(tensor.tile({m, n}), {64, 64})
      store(D.at({0, 0}), take(P.at({0, 0})));
    });
  });
}
