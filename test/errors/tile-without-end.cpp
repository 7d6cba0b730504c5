// Sizes whose product no integer holds.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    SharedTile staged = shared(f32, {1l << 40, 1l << 40});
  });
}
