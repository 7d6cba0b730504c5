// A raster needs at least one tile in a group.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    grid({1024, 1024}, {128, 128}, Raster::grouped(0));
  });
}
