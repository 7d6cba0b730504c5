// The parts of the family of barriers and fences.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

namespace ashlar::sim {

Decoded decodeClusterBarrier(Decoder &decoder); // behind barrier.cluster
Decoded decodeFence(Decoder &decoder);
Decoded decodeMembar(Decoder &decoder);

} // namespace ashlar::sim
