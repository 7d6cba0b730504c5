// A kernel has one grid.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    persistent({1024, 1024}, {128, 128});
    // CHECK
    grid({1024, 1024}, {64, 64});
  });
}
