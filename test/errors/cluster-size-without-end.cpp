// A size that no integer holds.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    cluster({1l << 32, 1l << 32});
  });
}
