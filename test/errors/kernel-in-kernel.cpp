// A kernel is defined by itself.
#include "ashlar/ashlar.h"

using namespace ashlar;

Kernel program() {
  return kernel("k", [] {
    // CHECK: kernel-in-kernel.cpp:[[@LINE+1]]: error: kernel 'inner' is defined inside another kernel; define it outside
    Kernel inner = kernel("inner", [] { role("math", warps(4), [] {}); });
    role("math", warps(4), [] {});
  });
}
