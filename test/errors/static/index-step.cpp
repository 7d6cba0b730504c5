// ++ counts no loop of a kernel.
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
        // CHECK-DAG: index-step.cpp:[[@LINE+2]]:
        // CHECK-DAG: error: static assertion failed{{.*}}++ and -- are for loops of C++, which run while the kernel is built: for (Index i : range(count)) is a loop of the kernel, a += 1 an addition
        m++;
        ring.release(stage);
        store(D.tile({m, n}), x);
      }
    });
  });
}
