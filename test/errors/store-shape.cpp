// A shared tile takes a fragment of its shape.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile staged = shared(f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK: store-shape.cpp:[[@LINE+1]]: error: the fragment is 64x128 f32 and the shared tile is 64x64 f32; store needs one shape and one element type: convert the fragment, or declare the tile to match
      store(staged, zeros(f32, {64, 128}));
    });
  });
}
