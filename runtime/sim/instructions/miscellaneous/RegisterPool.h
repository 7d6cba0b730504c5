// setmaxnreg, and the registers that a kernel's threads start with.
#pragma once

#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/instructions/Reach.h"

namespace ashlar::sim {

/// Registers per thread when the kernel starts, as ptxas 13.0 gives them to a
/// kernel that sets them: what .maxnreg allows, and .maxntid or .reqntid
/// together with .minnctapersm, but no more than the greatest setmaxnreg.inc
/// asks for. 0 without these bounds, where ptxas ignores setmaxnreg.
uint32_t startingRegisters(const ptx::Module &module, uint32_t kernel,
                           const Reach &reach);

Decoded decodeSetRegisters(Decoder &decoder);

} // namespace ashlar::sim
