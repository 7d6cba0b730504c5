// A part is made of what peer gives.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    TileLoop tiles = persistent({128}, {64});
    SharedTile tile = shared(f32, {64, 64});
    role("all", warps(4), [&] {
      for (auto [m] : tiles)
        // CHECK: peer-of-a-part.cpp:[[@LINE+1]]: error: peer is given a part; slice what peer gives of the whole tile
        store(slice(tile, {8, 0}, {8, 64}).peer(0), zeros(f32, {8, 64}));
    });
  });
}
