// A shared tile takes a fragment of its shape.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    SharedTile staged = shared(f32, {64, 64});
    role("math", warpgroups(1), [&] {
      // CHECK
      store(staged, zeros(f32, {64, 128}));
    });
  });
}
