// Threads copy rows as they lie.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor A = input("A", bf16, {64, 64}, align(2));
    Tensor D = output("D", bf16, {64, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(4), [&] {
      Stage s = ring.acquire();
      // CHECK: even-rows-by-loads.cpp:[[@LINE+1]]: error: this copy does not go by TMA, which alone has even rows first: use the tile as it is
      copy(A.at({0, 0}), s[0].even_rows_first());
      ring.commit(s);
    });
    role("store", warpgroups(1), [&] {
      Stage s = ring.wait();
      Fragment x = load(s[0].even_rows_first());
      ring.release(s);
      store(D.at({0, 0}), x);
    });
  });
}
