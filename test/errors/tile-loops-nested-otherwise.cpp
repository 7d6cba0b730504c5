// Roles that share a pipeline go through loops and tiles in the same order.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M"), K = size("K");
    Tensor X = input("X", f32, {M, K}), D = output("D", f32, {M, K});
    TileLoop tiles = persistent({M}, {32});
    Pipeline ring = pipeline(2, smem(f32, {32, 32}));
    role("load", warps(1), [&] {
      for (Index k : range(ceil_div(K, 32)))
        for (auto [m] : tiles) {
          Stage s = ring.acquire();
          copy(X.tile({m, k}), s[0]);
          ring.commit(s);
        }
    });
    role("store", warps(4), [&] {
      for (auto [m] : tiles)
        for (Index k : range(ceil_div(K, 32))) {
          // CHECK: tile-loops-nested-otherwise.cpp:[[@LINE+1]]: error: role 'store' takes this stage in a loop in its tile loop, and role 'load', which shares the pipeline, in one around it, so that a CTA with several tiles has stages in two orders: nest both alike
          Stage s = ring.wait();
          store(D.tile({m, k}), load(s[0]));
          ring.release(s);
        }
    });
  });
}
