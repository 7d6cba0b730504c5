// A warpgroup passes by the stages of the others' tiles: it must know how many.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {1024, 64});
    TileLoop tiles = persistent({1024}, {64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      for (auto [m] : tiles)
        for (Index i : range(8)) {
          Stage s = ring.acquire();
          copy(A.tile({m, 0}), s[0]);
          ring.commit(s);
          last_if(i >= m);
        }
    });
    role("math", ping_pong(2), [&] {
      for (auto [m] : tiles)
        for (Index i : range(8)) {
          ring.release(ring.wait());
          // CHECK: ping-pong-last-if.cpp:[[@LINE+1]]: error: the last_if ends a loop of role 'math', which is in ping-pong, and takes stages: the other warpgroups could not tell how many to pass by; end a loop that takes none
          last_if(i >= m);
        }
    });
  });
}
