// Sums of one fragment have their columns in one order.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      store(a, zeros(bf16, {64, 64}));
      store(b.even_rows_first(), zeros(bf16, {64, 64}));
      Fragment sum = mma(a, b.even_rows_first().T());
      // CHECK: even-rows-of-one-product.cpp:[[@LINE+1]]: error: this is added to, or computed with, sums of a tile whose rows lie in another order: call even_rows_first on both, or on neither
      sum = mma(a, a.T(), sum);
      store(D.at({0, 0}), sum);
    });
  });
}
