// A pipeline needs something in its stages.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    pipeline(2);
  });
}
