// The language has no meaning outside a kernel.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  // CHECK: call-outside-kernel.cpp:[[@LINE+1]]: error: this call stands outside a kernel: the calls of the language build the kernel whose body runs; move it into kernel(name, [&] { ... })
  Size M = size("M");
  return kernel("k", [&] { input("A", bf16, {M, 64}); });
}
