// Opcodes that integers and floats share. The type that the instruction ends
// with tells which it is; where it ends with something else it is one of
// integers.
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/floating/Float.h"
#include "runtime/sim/instructions/integer/Integer.h"

using namespace ashlar::sim;

namespace {

template <DecodeFunction integer, DecodeFunction floating>
Decoded byType(Decoder &decoder) {
  const auto &modifiers = decoder.text.modifiers;
  auto type =
      modifiers.empty() ? std::nullopt : ptx::typeNamed(modifiers.back());
  return type && ptx::isFloat(*type) ? floating(decoder) : integer(decoder);
}

} // namespace

void ashlar::sim::addArithmeticInstructions(OpcodeTable &table) {
  table.add("add", byType<decodeIntegerAdd, decodeFloatAdd>);
  table.add("sub", byType<decodeIntegerSubtract, decodeFloatSubtract>);
  table.add("mul", byType<decodeIntegerMultiply, decodeFloatMultiply>);
  table.add("mad", byType<decodeIntegerMultiplyAdd, decodeFloatMultiplyAdd>);
  table.add("div", byType<decodeIntegerDivide, decodeFloatDivide>);
  table.add("abs", byType<decodeIntegerAbsolute, decodeFloatAbsolute>);
  table.add("neg", byType<decodeIntegerNegate, decodeFloatNegate>);
  table.add("min", byType<decodeIntegerMin, decodeFloatMin>);
  table.add("max", byType<decodeIntegerMax, decodeFloatMax>);
}
