// TMA stores rows as they lie.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", bf16, {64, 64});
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      store(tile.even_rows_first(), zeros(bf16, {64, 64}));
      // CHECK: even-rows-copied-out.cpp:[[@LINE+1]]: error: this copies a tile that has its even rows first, which is only for what is copied to: store(tensor, load(tile))
      copy(slice(tile.even_rows_first(), {0, 0}, {32, 64}), D.at({0, 0}));
    });
  });
}
