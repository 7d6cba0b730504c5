// Handles are good only in the kernel that made them.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  std::optional<Size> kept;
  kernel("first", [&] { kept.emplace(size("M")); });
  // CHECK: handle-of-another-kernel.cpp:[[@LINE+1]]: error: index declared at handle-of-another-kernel.cpp:[[@LINE-1]] belongs to another kernel; handles can be used only in the kernel that made them, while it is built
  return kernel("second", [&] { input("A", bf16, {*kept, 64}); });
}
