// wgmma numbers the rows of A itself.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      store(a.even_rows_first(), zeros(bf16, {64, 64}));
      store(b, zeros(bf16, {64, 64}));
      // CHECK: even-rows-of-a-product.cpp:[[@LINE+1]]: error: this multiplies a tile that has its even rows first other than as a whole B by columns, mma(a, tile.T()): use the tile as it is
      store(D.at({0, 0}), mma(a.even_rows_first(), b.T()));
    });
  });
}
