// The configuration of a launch, as the runtime and as the driver have it.
#pragma once

#include "runtime/sim/cudart/Export.h"

namespace ashlar::sim::cudart {

/// cudaLaunchConfig_t. The attributes are laid out as the driver's.
struct RuntimeLaunchConfig {
  Dim3 grid, block;
  size_t sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(RuntimeLaunchConfig) == 56);

inline Error convert(const RuntimeLaunchConfig &config,
                     LaunchConfig &forDriver) {
  if (config.sharedBytes > UINT32_MAX)
    return refuse(Error::invalidConfiguration,
                  std::to_string(config.sharedBytes) +
                      " bytes of dynamic shared memory");
  forDriver = {config.grid.x,
               config.grid.y,
               config.grid.z,
               config.block.x,
               config.block.y,
               config.block.z,
               static_cast<unsigned>(config.sharedBytes),
               config.stream,
               config.attributes,
               config.attributeCount};
  return Error::success;
}

} // namespace ashlar::sim::cudart
