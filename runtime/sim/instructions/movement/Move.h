// mov and the conversions of addresses.
#pragma once

#include "runtime/sim/instructions/LaneWise.h"

namespace ashlar::sim {

// Timer.cpp: %clock, %clock_hi, %clock64, %globaltimer, %globaltimer_lo,
// %globaltimer_hi.
bool isTimer(const ptx::Operand &operand);
Decoded decodeReadTimer(Decoder &decoder, ptx::Type type);

// AddressSpace.cpp: cvta, isspacep, mapa, getctarank.
void addAddressInstructions(OpcodeTable &table);

} // namespace ashlar::sim
