// A tensor that can't exist.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    Tensor A = input("A", bf16, {-64, 64});
  });
}
