// wgmma reads the columns of A in shared memory as they lie.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      store(a, zeros(bf16, {64, 64}));
      store(b.interleaved_columns(), zeros(bf16, {64, 64}));
      // CHECK: interleaved-of-a-product.cpp:[[@LINE+1]]: error: this multiplies a tile that has its columns interleaved other than as B of a dense A in registers, mma(fragment, tile.T()): use the tile as it is
      store(D.at({0, 0}), mma(a, b.interleaved_columns().T()));
    });
  });
}
