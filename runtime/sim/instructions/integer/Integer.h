// What the files of integer instructions share.
#pragma once

#include "runtime/sim/instructions/LaneWise.h"

#include <algorithm>
#include <limits>

namespace ashlar::sim {

/// Sums and differences modulo 2^n, and one into the range of s32.
template <class T> T wrappedSum(T a, T b) {
  return static_cast<T>(std::make_unsigned_t<T>(a) +
                        std::make_unsigned_t<T>(b));
}
template <class T> T wrappedDifference(T a, T b) {
  return static_cast<T>(std::make_unsigned_t<T>(a) -
                        std::make_unsigned_t<T>(b));
}

inline int32_t saturated(int64_t value) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()));
}

// Of the opcodes in Arithmetic.cpp, those with a type of integers.
Decoded decodeIntegerAdd(Decoder &decoder);
Decoded decodeIntegerSubtract(Decoder &decoder);
Decoded decodeIntegerMultiply(Decoder &decoder);
Decoded decodeIntegerMultiplyAdd(Decoder &decoder);
Decoded decodeIntegerDivide(Decoder &decoder);
Decoded decodeIntegerAbsolute(Decoder &decoder);
Decoded decodeIntegerNegate(Decoder &decoder);
Decoded decodeIntegerMin(Decoder &decoder);
Decoded decodeIntegerMax(Decoder &decoder);

void addMultiply24Instructions(OpcodeTable &table); // Multiply.cpp
void addDotProductInstructions(OpcodeTable &table); // DotProduct.cpp

// IntegerCarry.cpp. `reads` and `writes` tell of the carry: addc reads it,
// add.cc writes it.
Decoded decodeAddWithCarry(Decoder &decoder, bool reads, bool writes);
Decoded decodeSubtractWithCarry(Decoder &decoder, bool reads, bool writes);
Decoded decodeMultiplyAddWithCarry(Decoder &decoder, bool reads);
void addCarryInstructions(OpcodeTable &table);

// BitField.cpp: popc, clz, bfind, fns, brev, bfe, bfi, bmsk, szext.
void addBitFieldInstructions(OpcodeTable &table);

void addLogicInstructions(OpcodeTable &table); // Logic.cpp: and, lop3, ...
void addShiftInstructions(OpcodeTable &table); // Shift.cpp: shl, shr, shf

} // namespace ashlar::sim
