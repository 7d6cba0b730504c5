// The parts of the family of instructions among the lanes of a warp.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

namespace ashlar::sim {

Decoded decodeShuffle(Decoder &decoder);
Decoded decodeVote(Decoder &decoder);
Decoded decodeMatch(Decoder &decoder);
Decoded decodeReduceLanes(Decoder &decoder); // redux

} // namespace ashlar::sim
