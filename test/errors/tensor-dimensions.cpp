// TMA and the launch know tensors of up to five dimensions.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK
    Tensor A = input("A", bf16, {2, 2, 2, 2, 2, 64});
  });
}
