// Who drains a pipeline goes over the tiles that fill it.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N}), D = output("D", f32, {N});
    TileLoop tiles = persistent({N}, {128}), halves = persistent({N}, {64});
    Pipeline ring = pipeline(2, smem(f32, {128}));
    role("load", warps(1), [&] {
      for (auto [n] : tiles) {
        Stage s = ring.acquire();
        copy(X.tile({n}), s[0]);
        ring.commit(s);
      }
    });
    role("store", warps(4), [&] {
      for (auto [n] : halves) {
        // CHECK: tile-loops-of-a-pipeline.cpp:[[@LINE+1]]: error: role 'store' takes this stage in a tile loop that role 'load', which shares the pipeline, does not have: both go over the same tiles, by one TileLoop
        Stage s = ring.wait();
        store(D.tile({n}), load(s[0]));
        ring.release(s);
      }
    });
  });
}
