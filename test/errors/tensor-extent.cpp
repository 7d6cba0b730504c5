// The launch must know which size an extent is.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    // CHECK
    Tensor A = input("A", bf16, {M * 2, 64});
  });
}
