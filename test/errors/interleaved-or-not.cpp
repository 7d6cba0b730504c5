// What is stored by one order of columns is not what another one reads.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", f32, {64, 64});
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      store(tile, zeros(bf16, {64, 64}));
      Fragment a = zeros(bf16, {64, 64});
      // CHECK: interleaved-or-not.cpp:[[@LINE+1]]: error: this reads a tile in another order of its rows or columns than it is written in: call even_rows_first or interleaved_columns for both, or for neither
      store(D.at({0, 0}), mma(a, tile.interleaved_columns().T()));
    });
  });
}
