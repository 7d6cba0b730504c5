// TMA and the launch know tensors of up to five dimensions.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: tensor-dimensions.cpp:[[@LINE+1]]: error: tensor 'A' has 6 dimensions; a tensor has 1 to 5: merge dimensions that are contiguous
    Tensor A = input("A", bf16, {2, 2, 2, 2, 2, 64});
  });
}
