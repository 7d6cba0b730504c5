// How many blocks a launch has; the rule is in ashlar/artifact.h.
#pragma once

#include "ashlar/artifact.h"

#include <cstdint>
#include <span>

namespace ashlar {

struct Grid {
  uint32_t blocks = 0; ///< 0: there is nothing to launch
  uint32_t clusterSize = 1;
};

/// `sizes` are the values of `artifact.sizes`; `residentClusters` are those a
/// persistent grid may have. Throws `Error` when the grid has more blocks than
/// a launch can have.
Grid computeGrid(const Artifact &artifact, std::span<const int64_t> sizes,
                 int64_t residentClusters);

/// The blocks of one cluster.
int64_t clusterSize(const GridRule &rule);

/// The value of an extent.
int64_t valueOf(const Extent &extent, std::span<const int64_t> sizes);

} // namespace ashlar
