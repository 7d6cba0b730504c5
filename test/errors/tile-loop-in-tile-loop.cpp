// A CTA has only its own tiles of each.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor D = output("D", f32, {N, N});
    TileLoop tiles = persistent({N}, {64});
    role("math", warps(4), [&] {
      for (auto [m] : tiles)
        // CHECK: tile-loop-in-tile-loop.cpp:[[@LINE+1]]: error: this tile loop stands in another one, and a CTA has only its own tiles of each, so that most pairs have none: give one loop all the dimensions, or count the inner one with range()
        for (auto [n] : tiles)
          store(D.tile({m, n}), zeros(f32, {64, 64}));
    });
  });
}
