// A grid over five dimensions.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    grid({8, 8, 8, 8, 8}, {1, 1, 1, 1, 1});
  });
}
