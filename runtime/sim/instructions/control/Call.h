// call: arguments go from the caller's variables or registers to the callee's,
// results the other way when it returns.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

namespace ashlar::sim {

class Warp;

Decoded decodeCall(Decoder &decoder);

/// Leaves the function that the lanes are in, and hands its results to where
/// the call asks; in the kernel itself it is an exit.
void returnFromCall(Warp &warp, LaneMask lanes);

} // namespace ashlar::sim
