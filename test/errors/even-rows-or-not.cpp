// A product by columns that reads even rows first of what lies in order.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor B = input("B", bf16, {64, 64}), D = output("D", f32, {64, 64});
    Pipeline ring = pipeline(2, smem(bf16, {64, 64}));
    role("load", warps(1), [&] {
      Stage s = ring.acquire();
      copy(B.at({0, 0}), s[0]);
      ring.commit(s);
    });
    role("math", warpgroups(1), [&] {
      Stage s = ring.wait();
      Fragment a = zeros(bf16, {64, 64});
      // CHECK: even-rows-or-not.cpp:[[@LINE+1]]: error: this reads a tile in another order of its rows or columns than it is written in: call even_rows_first or interleaved_columns for both, or for neither
      Fragment sum = mma(a, s[0].even_rows_first().T());
      ring.release(s);
      store(D.at({0, 0}), sum);
    });
  });
}
