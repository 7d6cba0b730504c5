// A condition is no number.
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
        // CHECK-DAG: condition-arithmetic.cpp:[[@LINE+2]]:
        // CHECK-DAG: error: static assertion failed{{.*}}a truth value has no arithmetic and is not compared: select(truth, a, b) chooses between numbers by it; &&, || and ! combine truth values of one kind
        x = x * (m < n);
        ring.release(stage);
        store(D.tile({m, n}), x);
      }
    });
  });
}
