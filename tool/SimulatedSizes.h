// A problem that is small enough to be simulated, and a GPU for it.
#pragma once

#include "ashlar/artifact.h"
#include "ashlar/problem.h"

#include <span>
#include <vector>

namespace ashlar::harness {

/// A size for each of the kernel's: two tiles along a dimension of the grid,
/// three where it has one, and, where a pipeline runs along it, one step more
/// than it has stages; the last tile is not full. What `given` says is kept
/// where it is smaller.
std::vector<NamedSize> simulatedSizes(const Artifact &artifact,
                                      std::span<const NamedSize> given);

/// How many SMs the simulated GPU has where nobody says it: where all loops are
/// persistent, so few that it holds two clusters, which then have several tiles
/// each. A loop over single elements may be one over CTAs that wait for each
/// other: all are given room.
uint32_t simulatedSms(const Artifact &artifact);

/// Throws `Error` when the tensors of these sizes, which nobody asked for,
/// would take long to fill and to check: an artifact says how large its tiles
/// are, and may say anything.
void checkSimulated(const Artifact &artifact, std::span<const NamedSize> sizes);

} // namespace ashlar::harness
