// Sizes, tensors, roles and barriers share one set of names.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    // CHECK
    Tensor A = input("M", bf16, {M, 64});
  });
}
