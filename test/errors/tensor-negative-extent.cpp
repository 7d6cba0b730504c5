// A tensor that can't exist.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: tensor-negative-extent.cpp:[[@LINE+1]]: error: tensor 'A' has an extent of -64; an extent is at least 0
    Tensor A = input("A", bf16, {-64, 64});
  });
}
