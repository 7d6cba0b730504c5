// A launch as the driver takes it, with the attributes it points to.
#pragma once

#include "runtime/Driver.h"
#include "runtime/Grid.h"

#include <array>

namespace ashlar {

class LaunchConfiguration {
public:
  LaunchConfiguration(const Artifact &artifact, const Grid &grid,
                      driver::StreamHandle stream);
  LaunchConfiguration(const LaunchConfiguration &) = delete;

  const driver::LaunchConfig *get() const { return &config; }

private:
  driver::LaunchAttribute &add(driver::LaunchAttributeId id);

  std::array<driver::LaunchAttribute, 2> attributes = {};
  driver::LaunchConfig config = {};
};

} // namespace ashlar
