// prmt (PTX ISA, "Data Movement and Conversion Instructions").
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/movement/Move.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

/// The selector of the general form that a mode and its control stand for.
uint32_t permuteSelector(int mode, uint32_t control) {
  // A row for each control value, from byte 3 of the result down to byte 0.
  static constexpr uint16_t selectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  return selectors[mode][control & 3];
}

uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector) {
  uint64_t bytes = uint64_t(b) << 32 | a;
  uint32_t result = 0;
  for (unsigned index = 0; index < 4; ++index) {
    uint32_t select = selector >> 4 * index;
    auto byte = static_cast<uint32_t>(bytes >> 8 * (select & 7)) & 0xff;
    if (select & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * index;
  }
  return result;
}

Decoded decodePermute(Decoder &decoder) {
  Type type = expectType(decoder, {Type::b32});
  int mode =
      decoder.modifiers.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  if (mode < 0)
    return ternary<uint32_t>(decoder, type, permuted);
  return ternary<uint32_t>(decoder, type,
                           [mode](uint32_t a, uint32_t b, uint32_t c) {
                             return permuted(a, b, permuteSelector(mode, c));
                           });
}

} // namespace

void ashlar::sim::addPermuteInstruction(OpcodeTable &table) {
  table.add("prmt", decodePermute);
}
