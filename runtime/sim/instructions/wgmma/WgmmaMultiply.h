#pragma once

#include "runtime/sim/instructions/Decoder.h"

namespace ashlar::sim {

/// wgmma.mma_async, behind that modifier.
Decoded decodeWgmmaMultiply(Decoder &decoder);

} // namespace ashlar::sim
