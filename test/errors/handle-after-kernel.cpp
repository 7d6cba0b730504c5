// Handles are good only while their kernel is built.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  std::optional<Size> kept;
  Kernel first = kernel("first", [&] { kept.emplace(size("M")); });
  // CHECK
  *kept + 1;
  return first;
}
