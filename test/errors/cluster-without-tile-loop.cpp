// Without a tile loop CTAs stand in one dimension.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK
  return kernel("k", [] {
    cluster({2, 1});
    role("math", warpgroups(1), [] {});
  });
}
