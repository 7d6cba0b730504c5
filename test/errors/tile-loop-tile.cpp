// Tiles have elements.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    grid({1024, 1024}, {128, 0});
  });
}
