// It is told where the loop is, not where its tiles are declared.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    Tensor D = output("D", f32, {M});
    TileLoop tiles = persistent({M}, {64});
    role("math", warpgroups(1), [&] {
      // CHECK: tile-loop-left-by-break.cpp:[[@LINE+1]]: error: a DSL loop was left by break or return: its body is traced once and must end by itself; use when(condition, [&] { ... }) around the rest of the body
      for (auto [m] : tiles) {
        store(D.tile({m}), zeros(f32, {64}));
        break;
      }
    });
  });
}
