#pragma once

#include "ashlar/ashlar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ashlar::test {

/// The message of the kernel's mistake; fails when there is none.
inline std::string mistake(const Kernel &kernel) {
  if (!kernel.error()) {
    ADD_FAILURE() << "the kernel was accepted:\n" << kernel.tile_ir();
    return "";
  }
  return kernel.error()->what();
}

/// The tile IR; fails with the mistake when there is one.
inline std::string ir(const Kernel &kernel, bool debug_locations = false) {
  if (kernel.error()) {
    ADD_FAILURE() << kernel.error()->what();
    return "";
  }
  return kernel.tile_ir(debug_locations);
}

/// A kernel with one role of one warpgroup.
inline Kernel in_role(detail::Body<> body) {
  return kernel("k", [&] { role("math", warpgroups(1), body); });
}

} // namespace ashlar::test
