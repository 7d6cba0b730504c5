// What the files of instructions that move and convert data share.
#pragma once

#include "runtime/sim/instructions/LaneWise.h"

namespace ashlar::sim {

// Timer.cpp: %clock, %clock_hi, %clock64, %globaltimer, %globaltimer_lo,
// %globaltimer_hi.
Decoded decodeReadTimer(Decoder &decoder, ptx::Type type);

// AddressSpace.cpp: cvta, isspacep, mapa, getctarank.
void addAddressInstructions(OpcodeTable &table);

void addConversionInstructions(OpcodeTable &table); // ConversionDecode.cpp
void addPermuteInstruction(OpcodeTable &table);     // Permute.cpp

} // namespace ashlar::sim
