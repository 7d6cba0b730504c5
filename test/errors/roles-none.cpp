// A kernel in which nothing runs.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK
  return kernel("k", [] {
    size("M");
  });
}
