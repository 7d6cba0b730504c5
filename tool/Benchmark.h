// How long a kernel takes on the device.
#pragma once

#include "tool/DeviceProblem.h"

#include <chrono>

namespace ashlar::harness {

struct Timing {
  int launches = 0;
  double medianMicroseconds = 0;
  double fastestMicroseconds = 0;
  /// The median of as many copies on the device that read and write as many
  /// bytes as the kernel's tensors have.
  double copyMicroseconds = 0;
};

/// Launches back to back on the same tensors, about half a second long, each
/// launch between two events, in turns with copies. Throws `TimeoutError` when
/// that takes longer than `limit` in all.
Timing benchmark(Device &device, Module &module, const DeviceProblem &problem,
                 std::chrono::milliseconds limit);

} // namespace ashlar::harness
