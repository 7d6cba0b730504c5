// Tiles have elements.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    SharedTile staged = shared(bf16, {64, 0});
  });
}
