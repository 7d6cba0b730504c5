// A kernel's name becomes a symbol of the PTX.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK
  return kernel("gemm 128x256", [] { role("r", warps(1), [] {}); });
}
