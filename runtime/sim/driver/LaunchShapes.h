// What a launch asks for, checked as the driver checks it.
#pragma once

#include "runtime/sim/driver/State.h"

namespace ashlar::sim {

struct RequestedShape {
  LaunchShape shape;
  bool cooperative = false;
  std::vector<driver::EventHandle> eventsToRecord; // asked for by attributes
};

/// Reads grid, block, cluster and attributes. Refuses, with the reason kept,
/// an attribute that is not known and a shape that does not fit the kernel.
Result readShape(const KernelEntry &kernel, const driver::LaunchConfig &config,
                 RequestedShape &requested);

} // namespace ashlar::sim
