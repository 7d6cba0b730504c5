// TMA has columns as they lie.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64}), D = output("D", bf16, {64, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      // CHECK: interleaved-copied.cpp:[[@LINE+1]]: error: this copies a tile that has its columns interleaved, which load and store alone reach: use the tile as it is
      copy(A.at({0, 0}), s[0].interleaved_columns());
      ring.commit(s);
    });
    role("store", warpgroups(1), [&] {
      Stage s = ring.wait();
      Fragment x = load(s[0].interleaved_columns());
      ring.release(s);
      store(D.at({0, 0}), x);
    });
  });
}
