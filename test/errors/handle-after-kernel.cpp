// Handles are good only while their kernel is built.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  std::optional<Size> kept;
  Kernel first = kernel("first", [&] { kept.emplace(size("M")); });
  // CHECK: handle-after-kernel.cpp:[[@LINE+1]]: error: this call stands outside a kernel: the calls of the language build the kernel whose body runs; move it into kernel(name, [&] { ... })
  *kept + 1;
  return first;
}
