// Roles run at the same time and share no variables.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Index count = 0;
    role("load", warps(1), [&] {
      // CHECK
      count += 1;
    });
  });
}
