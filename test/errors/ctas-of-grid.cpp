// Of a grid as many CTAs run at a time as there is room for.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    TileLoop tiles = grid({N}, {64});
    role("math", warps(4), [&] {
      // CHECK: ctas-of-grid.cpp:[[@LINE+1]]: error: this loop has a CTA for each tile, and nobody knows how many of them run at a time; ctas() is of a persistent loop
      Index ctas = tiles.ctas();
      print("{}", ctas);
    });
  });
}
