// A tile of rows that TMA boxes can't share evenly.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {521, 64});
    Pipeline ring = pipeline(1, smem(bf16, {521, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK: tile-larger-than-tma-boxes.cpp:[[@LINE+1]]: error: TMA cannot move this tile: dimension 0 of the shared tile (521,64) has extent 521, more than the 256 of a TMA box, and no even split of it starts at multiples of 1024 bytes: use a multiple of 256
      copy(A.tile({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] { ring.release(ring.wait()); });
  });
}
