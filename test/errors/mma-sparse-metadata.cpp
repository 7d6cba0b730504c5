// Metadata of a sparse A have four bits for each chunk of a row.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile a = shared(bf16, {64, 64}), b = shared(bf16, {64, 128});
    role("math", warpgroups(1), [&] {
      // CHECK: mma-sparse-metadata.cpp:[[@LINE+1]]: error: the mma multiplies a sparse A of 64x128 with metadata of 64x16 s16; an element has those of 16 columns: use 64x8 s16
      mma(sparse(a, zeros(s16, {64, 16})), b.T(), zeros(f32, {64, 64}));
    });
  });
}
