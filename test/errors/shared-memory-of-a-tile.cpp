// A shared tile that is larger than shared memory.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    SharedTile staged = shared(f32, {256, 256});
    role("math", warpgroups(4),
         [&] { store(staged, zeros(f32, {256, 256})); });
  });
}
