// Races as what they come from: a wait that is missing, or for the wrong phase.
#pragma once

#include "runtime/sim/machine/Cluster.h"

#include <optional>

namespace ashlar::sim {

/// What the waits of the two threads tell of a race; none: nothing.
std::optional<Report> explainByWaits(Cluster &cluster, MemoryBlock &block,
                                     const MemoryBlock::Conflict &conflict,
                                     const Accessor &accessor, AccessKind kind);

} // namespace ashlar::sim
