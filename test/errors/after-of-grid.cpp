// A grid has a CTA for each tile.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    TileLoop tiles = grid({N}, {64});
    role("math", warps(4), [&] {
      // CHECK: after-of-grid.cpp:[[@LINE+1]]: error: this loop has a CTA for each tile, which takes it whatever comes before; after() is of a persistent loop
      for (auto [n] : tiles.after(N))
        print("{}", n);
    });
  });
}
