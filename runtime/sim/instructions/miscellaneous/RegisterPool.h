// setmaxnreg, and the registers that a kernel's threads start with.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

namespace ashlar::sim {

/// Registers per thread when the kernel starts: .maxnreg, or what ptxas derives
/// from the bounds of threads (65536 / threads, rounded down to 8); 0 where
/// nothing bounds them.
uint32_t startingRegisters(const ptx::Function &kernel);

Decoded decodeSetRegisters(Decoder &decoder);

} // namespace ashlar::sim
