// shl, shr, shf (PTX ISA, "Logic and Shift Instructions").
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/integer/Integer.h"

#include <algorithm>

using namespace ashlar::sim;
using ptx::Type;

namespace {

template <class T> T shiftLeft(T a, uint32_t by) {
  return by < 8 * sizeof(T) ? static_cast<T>(a << by) : T(0);
}

/// A shift by the width or more leaves the sign, or zero.
template <class T> T shiftRight(T a, uint32_t by) {
  constexpr uint32_t width = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>)
    return static_cast<T>(a >> std::min(by, width - 1));
  else
    return by < width ? static_cast<T>(a >> by) : T(0);
}

Decoded decodeShiftLeft(Decoder &decoder) {
  Type type = expectType(decoder, {Type::b16, Type::b32, Type::b64});
  auto operands = takeOperands(decoder, type, type, Type::u32);
  return withInteger(type, [&]<class T>() {
    return laneWise<T, T, uint32_t>(
        operands.target, operands.sources,
        [](T a, uint32_t b) { return shiftLeft(a, b); });
  });
}

Decoded decodeShiftRight(Decoder &decoder) {
  Type type = expectType(decoder,
                         {Type::b16, Type::b32, Type::b64, Type::u16, Type::u32,
                          Type::u64, Type::s16, Type::s32, Type::s64});
  auto operands = takeOperands(decoder, type, type, Type::u32);
  return withInteger(type, [&]<class T>() {
    return laneWise<T, T, uint32_t>(
        operands.target, operands.sources,
        [](T a, uint32_t b) { return shiftRight(a, b); });
  });
}

/// shf: 32 bits out of b:a, shifted.
Decoded decodeFunnelShift(Decoder &decoder) {
  int direction = decoder.modifiers.takeOneOf({"l", "r"});
  if (direction < 0)
    decoder.refuse("it needs .l or .r first");
  int mode = decoder.modifiers.takeOneOf({"clamp", "wrap"});
  if (mode < 0)
    decoder.refuse("it needs .clamp or .wrap behind its direction");
  Type type = expectType(decoder, {Type::b32});
  auto operands = takeOperands(decoder, type, type, type, Type::u32);
  bool clamp = mode == 0;
  auto make = [&](auto operation) {
    return laneWise<uint32_t, uint32_t, uint32_t, uint32_t>(
        operands.target, operands.sources, operation);
  };
  if (direction == 0)
    return make([clamp](uint32_t a, uint32_t b, uint32_t c) {
      uint32_t by = clamp ? std::min(c, 32u) : c & 31;
      return static_cast<uint32_t>((uint64_t(b) << 32 | a) << by >> 32);
    });
  return make([clamp](uint32_t a, uint32_t b, uint32_t c) {
    uint32_t by = clamp ? std::min(c, 32u) : c & 31;
    return static_cast<uint32_t>((uint64_t(b) << 32 | a) >> by);
  });
}

} // namespace

void ashlar::sim::addShiftInstructions(OpcodeTable &table) {
  table.add("shl", decodeShiftLeft);
  table.add("shr", decodeShiftRight);
  table.add("shf", decodeFunnelShift);
}
