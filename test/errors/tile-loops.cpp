// A kernel has one grid.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    persistent({1024, 1024}, {128, 128});
    // CHECK: tile-loops.cpp:[[@LINE+1]]: error: this is the second tile loop of the kernel, the first is on line 8; a kernel has one grid
    grid({1024, 1024}, {64, 64});
  });
}
