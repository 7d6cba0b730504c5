#include "runtime/LaunchConfiguration.h"

namespace ashlar {

using driver::LaunchAttributeId;

LaunchConfiguration::LaunchConfiguration(const Artifact &artifact,
                                         const Grid &grid,
                                         driver::StreamHandle stream) {
  config.gridX = grid.blocks;
  config.gridY = config.gridZ = 1;
  config.blockX = static_cast<unsigned>(artifact.threads);
  config.blockY = config.blockZ = 1;
  config.sharedBytes = static_cast<unsigned>(artifact.sharedBytes);
  config.stream = stream;
  config.attributes = attributes.data();
  if (grid.clusterSize > 1)
    add(LaunchAttributeId::clusterDimension).clusterDimension = {
        grid.clusterSize, 1, 1};
  if (artifact.programmaticLaunch)
    add(LaunchAttributeId::programmaticStreamSerialization)
        .programmaticStreamSerializationAllowed = 1;
}

driver::LaunchAttribute &LaunchConfiguration::add(LaunchAttributeId id) {
  driver::LaunchAttribute &attribute = attributes[config.attributeCount++];
  attribute.id = id;
  return attribute;
}

} // namespace ashlar
