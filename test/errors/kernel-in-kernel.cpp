// Kernels don't nest.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  std::optional<Kernel> inner;
  kernel("outer", [&] {
    // CHECK: kernel-in-kernel.cpp:[[@LINE+1]]: error: kernel 'inner' is defined inside another kernel; define it outside
    inner.emplace(kernel("inner", [] {}));
  });
  return *inner;
}
