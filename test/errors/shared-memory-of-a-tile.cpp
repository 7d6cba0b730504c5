// A shared tile that is larger than shared memory.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: shared-memory-of-a-tile.cpp:[[@LINE+1]]: error: kernel 'k' needs 262144 bytes of shared memory, 29696 over the limit of 232448: this tile takes 262144 of them; use smaller shared tiles
    SharedTile staged = shared(f32, {256, 256});
    role("math", warpgroups(4), [&] { store(staged, zeros(f32, {256, 256})); });
  });
}
