// B lies in shared memory.
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
        // CHECK-DAG: mma-of-fragments.cpp:[[@LINE+2]]:
        // CHECK-DAG: error: static assertion failed{{.*}}a fragment stands where a shared tile is meant: store(tile, fragment) puts it into shared memory
        x = mma(x, x);
        ring.release(stage);
        store(D.tile({m, n}), x);
      }
    });
  });
}
