// What the files of floating-point instructions share.
#pragma once

#include "runtime/sim/instructions/LaneWise.h"
#include "runtime/sim/machine/numbers/Formats.h"

#include <optional>

namespace ashlar::sim {

/// Takes .rn, .rz, .rm or .rp.
inline std::optional<Rounding> takeRounding(Decoder &decoder) {
  int index = decoder.modifiers.takeOneOf({"rn", "rz", "rm", "rp"});
  return index < 0 ? std::nullopt : std::optional(static_cast<Rounding>(index));
}

/// The type that the text ends with, which the modifiers before it depend on.
inline std::optional<ptx::Type> lastType(Decoder &decoder) {
  const auto &modifiers = decoder.text.modifiers;
  return modifiers.empty() ? std::nullopt : ptx::typeNamed(modifiers.back());
}

inline bool isHalf(ptx::Type type) {
  return type == ptx::Type::f16 || type == ptx::Type::f16x2 ||
         type == ptx::Type::bf16 || type == ptx::Type::bf16x2;
}
inline bool endsInHalf(Decoder &decoder) {
  auto type = lastType(decoder);
  return type && isHalf(*type);
}

/// .ftz: a subnormal becomes a zero of its sign.
inline uint32_t flushed(uint32_t bits) {
  return bits & 0x7f800000 ? bits : bits & 0x80000000;
}
inline uint16_t flushedF16(uint16_t bits) {
  return bits & 0x7c00 ? bits : bits & 0x8000;
}

/// .sat: into [0, 1]; a NaN becomes 0.
inline float saturated(float value) {
  return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f;
}

// Of the opcodes in Arithmetic.cpp, those with a type of floats.
Decoded decodeFloatAdd(Decoder &decoder);
Decoded decodeFloatSubtract(Decoder &decoder);
Decoded decodeFloatMultiply(Decoder &decoder);
Decoded decodeFloatMultiplyAdd(Decoder &decoder);
Decoded decodeFloatDivide(Decoder &decoder);
Decoded decodeFloatAbsolute(Decoder &decoder);
Decoded decodeFloatNegate(Decoder &decoder);
Decoded decodeFloatMin(Decoder &decoder);
Decoded decodeFloatMax(Decoder &decoder);

// Half.cpp: f16, bf16 and pairs of them.
Decoded decodeHalfAdd(Decoder &decoder);
Decoded decodeHalfSubtract(Decoder &decoder);
Decoded decodeHalfMultiply(Decoder &decoder);
Decoded decodeHalfFma(Decoder &decoder);
Decoded decodeHalfExp2(Decoder &decoder);
Decoded decodeHalfTanh(Decoder &decoder);
// HalfSelect.cpp
Decoded decodeHalfAbsolute(Decoder &decoder);
Decoded decodeHalfNegate(Decoder &decoder);
Decoded decodeHalfMinMax(Decoder &decoder, bool isMax);

// FloatArithmetic.cpp: what PTX defines to the bit.
Decoded decodeExactReciprocal(Decoder &decoder);
Decoded decodeExactSquareRoot(Decoder &decoder);
Decoded decodeExactDivide(Decoder &decoder);
Decoded decodeFma(Decoder &decoder);

void addApproximateInstructions(OpcodeTable &table); // FloatApproximate.cpp
void addFloatSelectInstructions(OpcodeTable &table); // FloatSelect.cpp

} // namespace ashlar::sim
