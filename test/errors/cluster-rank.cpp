// A cluster has the dimensions of the tile loop.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    cluster({2});
    // CHECK
    grid({1024, 1024}, {128, 128});
    role("math", warpgroups(1), [] {});
  });
}
