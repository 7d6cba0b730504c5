// How much of the device a block of a kernel takes.
#pragma once

#include "runtime/sim/driver/State.h"

namespace ashlar::sim {

/// 1024, or what .maxntid and .reqntid allow.
uint32_t maxThreadsOf(const KernelEntry &kernel);

/// Registers of a thread. PTX does not say how many an assembler needs: the
/// .maxnreg, or what .reqntid or .maxntid and .minnctapersm leave for each
/// thread, or 32.
uint32_t registersOf(const KernelEntry &kernel);

uint32_t staticSharedBytes(const KernelEntry &kernel);

/// Blocks that an SM holds at once.
uint32_t blocksPerSm(const KernelEntry &kernel, uint64_t threads,
                     uint64_t dynamicSharedBytes);

} // namespace ashlar::sim
