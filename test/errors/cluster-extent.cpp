// A cluster that is empty.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    cluster({2, 0});
  });
}
