// Handles are good only in the kernel that made them.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  std::optional<Size> kept;
  kernel("first", [&] { kept.emplace(size("M")); });
  // CHECK
  return kernel("second", [&] { input("A", bf16, {*kept, 64}); });
}
