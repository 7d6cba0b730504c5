// Nor does it store them otherwise.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Tensor D = output("D", bf16, {64, 64});
    SharedTile tile = shared(bf16, {64, 64});
    role("math", warpgroups(1), [&] {
      store(tile.interleaved_columns(), zeros(bf16, {64, 64}));
      // CHECK: interleaved-copied-out.cpp:[[@LINE+1]]: error: this copies a tile that has its columns interleaved, which load and store alone reach: use the tile as it is
      copy(slice(tile.interleaved_columns(), {0, 0}, {32, 64}), D.at({0, 0}));
    });
  });
}
