// vabsdiff4 (PTX ISA, "SIMD Video Instructions"). The parser refuses the forms
// that choose bytes, as `%r0.b10` does.
#include "runtime/sim/instructions/LaneWise.h"
#include "runtime/sim/instructions/Opcodes.h"

#include <algorithm>
#include <cstdlib>

using namespace ashlar::sim;
using ptx::Type;

namespace {

int byteOf(uint32_t word, unsigned index, Type type) {
  const auto byte = static_cast<uint8_t>(word >> 8 * index);
  return type == Type::s32 ? static_cast<int8_t>(byte) : byte;
}

Decoded decodeByteDifferences(Decoder &decoder) {
  const Type typeD = expectType(decoder, {Type::u32, Type::s32});
  const Type typeA = expectType(decoder, {Type::u32, Type::s32});
  const Type typeB = expectType(decoder, {Type::u32, Type::s32});
  const int mode = decoder.modifiers.takeOneOf({"sat", "add"});
  const auto operands = takeOperands(decoder, typeD, typeA, typeB, typeD);
  const auto make = [&](auto operation) {
    return laneWise<uint32_t, uint32_t, uint32_t, uint32_t>(
        operands.target, operands.sources, operation);
  };
  const auto difference = [=](uint32_t a, uint32_t b, unsigned index) {
    return std::abs(byteOf(a, index, typeA) - byteOf(b, index, typeB));
  };
  if (mode == 1)
    return make([=](uint32_t a, uint32_t b, uint32_t c) {
      for (unsigned index = 0; index < 4; ++index)
        c += static_cast<uint32_t>(difference(a, b, index));
      return c;
    });
  const int greatest = mode < 0 ? 511 : typeD == Type::s32 ? 127 : 255;
  return make([=](uint32_t a, uint32_t b, uint32_t) {
    uint32_t result = 0;
    for (unsigned index = 0; index < 4; ++index) {
      const int value = std::min(difference(a, b, index), greatest);
      result |= uint32_t(static_cast<uint8_t>(value)) << 8 * index;
    }
    return result;
  });
}

} // namespace

void ashlar::sim::addVideoInstructions(OpcodeTable &table) {
  table.add("vabsdiff4", decodeByteDifferences);
}
