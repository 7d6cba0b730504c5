// Decodes cvt, and refuses the combinations that PTX does not have.
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/movement/Conversion.h"
#include "runtime/sim/instructions/movement/Move.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

ConversionModes takeModes(Decoder &decoder) {
  ConversionModes modes;
  if (int index = decoder.modifiers.takeOneOf(
          {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"});
      index >= 0) {
    modes.hasRounding = true;
    modes.toIntegral = index > 4;
    modes.rounding = static_cast<Rounding>(index > 4 ? index - 5 : index);
  }
  if (decoder.modifiers.next() == "rs")
    decoder.refuse("stochastic rounding, .rs, needs sm_100");
  unsigned flags = takeFlags(decoder, {"ftz", "sat", "relu", "satfinite"});
  modes.flush = flags & 1;
  modes.saturate = flags & 2;
  modes.relu = flags & 4;
  modes.saturateFinite = flags & 8;
  return modes;
}

bool isBf16With8Bits(Type a, Type b) {
  return a == Type::bf16 && (b == Type::u8 || b == Type::s8);
}

/// Every value of `from` is one of `to`.
bool holdsAll(Type to, Type from) {
  if (ptx::isSigned(from))
    return ptx::isSigned(to) && ptx::bits(to) >= ptx::bits(from);
  return ptx::bits(to) >= ptx::bits(from) + ptx::isSigned(to);
}

void checkIntegers(Decoder &decoder, Type to, Type from,
                   const ConversionModes &modes) {
  if (modes.hasRounding || modes.flush)
    decoder.refuse("between integers there is neither a rounding nor .ftz");
  if (modes.saturate && holdsAll(to, from))
    decoder.refuse(".sat where nothing can be out of range is not allowed");
}

void checkRounding(Decoder &decoder, Type to, Type from,
                   const ConversionModes &modes) {
  bool toFloat = ptx::isFloat(to), fromFloat = ptx::isFloat(from);
  if (!toFloat) {
    if (!modes.hasRounding || !modes.toIntegral)
      decoder.refuse("to an integer it needs .rni, .rzi, .rmi or .rpi");
    return;
  }
  bool narrows = !fromFloat || ptx::bits(to) < ptx::bits(from);
  if (modes.toIntegral && to != from)
    decoder.refuse(".rni, .rzi, .rmi and .rpi are for integers and for a "
                   "float's own type");
  if (narrows && !modes.hasRounding)
    decoder.refuse("it needs a rounding: .rn, .rz, .rm or .rp");
  bool exact = !narrows && from != Type::bf16 && to != Type::bf16;
  if ((exact || to == from) && modes.hasRounding && !modes.toIntegral)
    decoder.refuse("it is exact, so a rounding is not allowed");
}

/// `cvt{.relu}{.satfinite}` of one value: f32 to f16 or bf16, .rn or .rz.
void checkRelu(Decoder &decoder, Type to, Type from,
               const ConversionModes &modes) {
  if (!modes.relu && !modes.saturateFinite)
    return;
  if (from != Type::f32 || (to != Type::f16 && to != Type::bf16))
    decoder.refuse(".relu and .satfinite are for f32 to f16, bf16, tf32 and "
                   "the 8-bit formats");
  if (modes.rounding != Rounding::nearestEven &&
      modes.rounding != Rounding::towardZero)
    decoder.refuse("with .relu or .satfinite the rounding is .rn or .rz");
  if (modes.flush || modes.saturate)
    decoder.refuse(".relu and .satfinite go with neither .ftz nor .sat");
}

void check(Decoder &decoder, Type to, Type from, const ConversionModes &modes) {
  if (isBf16With8Bits(to, from) || isBf16With8Bits(from, to))
    decoder.refuse("there is no conversion between bf16 and 8-bit integers");
  if (modes.rounding == Rounding::nearestAway)
    decoder.refuse(".rna is for .tf32.f32 only");
  checkRelu(decoder, to, from, modes);
  if (!ptx::isFloat(to) && !ptx::isFloat(from))
    return checkIntegers(decoder, to, from, modes);
  checkRounding(decoder, to, from, modes);
  if (modes.flush && to != Type::f32 && from != Type::f32)
    decoder.refuse(".ftz needs f32 on one side");
  if (modes.saturate && (to == Type::bf16 || from == Type::bf16))
    decoder.refuse("bf16 has no .sat");
}

Type expectConverted(Decoder &decoder) {
  return expectType(decoder,
                    {Type::u8, Type::u16, Type::u32, Type::u64, Type::s8,
                     Type::s16, Type::s32, Type::s64, Type::f16, Type::bf16,
                     Type::f32, Type::f64, Type::f16x2, Type::bf16x2,
                     Type::tf32, Type::e4m3x2, Type::e5m2x2});
}

Slot widerOrEqual(Decoder &decoder, Slot slot, Type type, const char *what) {
  if (slot.laneBytes < ptx::sizeBytes(type))
    decoder.refuse(std::string("its ") + what + " has " +
                   std::to_string(8 * slot.laneBytes) + " bits; ." +
                   std::string(ptx::name(type)) + " needs " +
                   std::to_string(ptx::bits(type)));
  return slot;
}

Decoded decodeConversion(Decoder &decoder) {
  if (decoder.modifiers.take("pack"))
    return decodePack(decoder);
  ConversionModes modes = takeModes(decoder);
  Type to = expectConverted(decoder), from = expectConverted(decoder);
  decoder.expectNoMoreModifiers();
  if (isPackedConversion(to, from))
    return decodePackedConversion(decoder, to, from, modes);
  check(decoder, to, from, modes);
  decoder.expectOperands(2);
  Slot target = decoder.targetAnyWidth(decoder.operand(0), to);
  Slot source = decoder.sourceAnyWidth(decoder.operand(1), from);
  return makeConversion(to, from,
                        widerOrEqual(decoder, target, to, "destination"),
                        widerOrEqual(decoder, source, from, "source"), modes);
}

} // namespace

void ashlar::sim::addConversionInstructions(OpcodeTable &table) {
  table.add("cvt", decodeConversion);
}
