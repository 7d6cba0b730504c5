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
        when(m > 0, [&] {
          Stage s = ring.acquire();
          copy(A.tile({m, 0}), s[0]);
          ring.commit(s);
        });
    });
    role("math", ping_pong(2), [&] {
      for (auto [m] : tiles)
        // CHECK: ping-pong-condition.cpp:[[@LINE+1]]: error: role 'math' is in ping-pong with other warpgroups, and whether it takes a stage here depends on a condition: the others could not tell how many stages to pass by; take it always
        when(m > 0, [&] { ring.release(ring.wait()); });
    });
  });
}
