// A mask meets a condition.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M"), N = size("N");
    Scalar s = scalar("s", f32);
    Tensor X = input("X", f32, {M, N});
    Tensor D = output("D", f32, {M, N});
    TileLoop tiles = persistent({M, N}, {64, 64});
    Pipeline ring = pipeline(2, smem(f32, {64, 64}));
    role("math", warpgroups(1), [&] {
      for (auto [m, n] : tiles) {
        Stage stage = ring.wait();
        Fragment x = load(stage[0]);
        // CHECK-DAG: mask-and-condition.cpp:[[@LINE+2]]:
        // CHECK-DAG: error: static assertion failed{{.*}}a mask has a truth value for each element, a condition is one for the whole role: any(mask) and all(mask) are conditions, and when(condition, [&] { ... }) asks the condition first
        x = select(x > 0 && m < n, x, 0);
        ring.release(stage);
        store(D.tile({m, n}), x);
      }
    });
  });
}
