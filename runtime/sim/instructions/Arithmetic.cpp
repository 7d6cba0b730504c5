// Opcodes that integers and floats share. The instruction's last type tells
// which it is; without one it is one of integers.
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/floating/Float.h"
#include "runtime/sim/instructions/integer/Integer.h"

#include <algorithm>

using namespace ashlar::sim;

namespace {

template <DecodeFunction integer, DecodeFunction floating>
Decoded byType(Decoder &decoder) {
  const auto &modifiers = decoder.text.modifiers;
  const auto last =
      std::find_if(modifiers.rbegin(), modifiers.rend(), ptx::typeNamed);
  return last != modifiers.rend() && ptx::isFloat(*ptx::typeNamed(*last))
             ? floating(decoder)
             : integer(decoder);
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
