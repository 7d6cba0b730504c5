// Sizes, tensors, roles and barriers share one set of names.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    // CHECK: duplicate-name.cpp:[[@LINE+1]]: error: tensor 'M': the name 'M' is already taken at duplicate-name.cpp:[[@LINE-1]]; give each its own name
    Tensor A = input("M", bf16, {M, 64});
  });
}
