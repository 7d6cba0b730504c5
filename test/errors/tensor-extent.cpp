// The launch must know which size an extent is.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    Size M = size("M");
    // CHECK: tensor-extent.cpp:[[@LINE+1]]: error: tensor 'A' has an extent that is neither a size nor a constant; declare it with size()
    Tensor A = input("A", bf16, {M * 2, 64});
  });
}
