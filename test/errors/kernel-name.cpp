// A kernel's name becomes a symbol of the PTX.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK: kernel-name.cpp:[[@LINE+1]]: error: the kernel's name 'gemm 128x256' is not an identifier; use letters, digits and _
  return kernel("gemm 128x256", [] { role("r", warps(1), [] {}); });
}
