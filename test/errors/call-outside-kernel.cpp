// The language has no meaning outside a kernel.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK
  Size M = size("M");
  return kernel("k", [&] { input("A", bf16, {M, 64}); });
}
