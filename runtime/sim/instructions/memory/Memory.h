// Decoders of the memory instructions.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

namespace ashlar::sim {

Decoded decodeLoad(Decoder &);
Decoded decodeLoadUniform(Decoder &);
Decoded decodeStore(Decoder &); // and st.async
Decoded decodeStoreAsync(Decoder &);
Decoded decodeReduceAsync(Decoder &); // red.async
Decoded decodePrefetch(Decoder &);
Decoded decodePrefetchUniform(Decoder &);
Decoded decodeDiscard(Decoder &);
Decoded decodeApplyPriority(Decoder &);
Decoded decodeCreatePolicy(Decoder &);
Decoded refuseMultimem(Decoder &);

void addAtomicInstructions(OpcodeTable &table); // Atomic.cpp: atom, red

} // namespace ashlar::sim
