// A transposed view of a shared tile takes a fragment of the exchanged shape.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile staged = shared(bf16, {64, 128});
    role("math", warpgroups(1), [&] {
      // CHECK: store-transposed-shape.cpp:[[@LINE+1]]: error: the fragment is 64x128 bf16 and the shared tile is the transpose of 64x128 bf16; store needs one shape and one element type: convert the fragment, or declare the tile to match
      store(staged.T(), zeros(bf16, {64, 128}));
    });
  });
}
