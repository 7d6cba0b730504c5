// Sizes of a problem that is small enough to be simulated.
#pragma once

#include "ashlar/artifact.h"
#include "ashlar/problem.h"

#include <span>
#include <vector>

namespace ashlar::harness {

/// A size for each of the kernel's: two tiles along a dimension of the grid,
/// three of a persistent loop over one size, and, where a pipeline runs along
/// it, one step more than it has stages; the last tile is not full. What
/// `given` says is kept where it is smaller.
std::vector<NamedSize> simulatedSizes(const Artifact &artifact,
                                      std::span<const NamedSize> given);

/// Throws `Error` when the tensors of these sizes, which nobody asked for,
/// would take long to fill and to check: an artifact says how large its tiles
/// are, and may say anything.
void checkSimulated(const Artifact &artifact, std::span<const NamedSize> sizes);

} // namespace ashlar::harness
