// Sizes of a problem that is small enough to be simulated.
#pragma once

#include "ashlar/artifact.h"
#include "ashlar/problem.h"

#include <span>
#include <vector>

namespace ashlar::harness {

/// A size for each of the kernel's: two tiles along a dimension of the grid,
/// and, where a pipeline runs along it, one step more than it has stages; the
/// last tile is not full. What `given` says is kept where it is smaller.
std::vector<NamedSize> simulatedSizes(const Artifact &artifact,
                                      std::span<const NamedSize> given);

} // namespace ashlar::harness
