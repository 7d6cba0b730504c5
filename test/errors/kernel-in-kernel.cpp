// Kernels don't nest.
#include "ashlar/ashlar.h"

#include <optional>

using namespace ashlar;

Kernel program() {
  std::optional<Kernel> inner;
  kernel("outer", [&] {
    // CHECK
    inner.emplace(kernel("inner", [] {}));
  });
  return *inner;
}
