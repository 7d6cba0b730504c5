// The forms of cvt for tensor cores: tf32, pairs of f16, bf16, e4m3 and e5m2;
// and cvt.pack (PTX ISA, "cvt", "cvt.pack").
#include "runtime/sim/instructions/movement/Conversion.h"

#include <algorithm>

using namespace ashlar::sim;
using ptx::Type;

namespace {

bool isEightBits(Type type) {
  return type == Type::e4m3x2 || type == Type::e5m2x2;
}

bool isNearestOrZero(const ConversionModes &modes) {
  return modes.hasRounding && !modes.toIntegral &&
         (modes.rounding == Rounding::nearestEven ||
          modes.rounding == Rounding::towardZero);
}

/// .relu: what has a sign becomes +0. A NaN has none.
uint32_t rectified(uint32_t bits, uint32_t sign, bool relu) {
  return relu && bits & sign ? 0 : bits;
}

/// .rna, which the hardware does as an integer sum: a NaN keeps what the upper
/// bits hold of it, so that it may become an infinity.
uint32_t roundedAwayToTf32(uint32_t bits, bool saturate) {
  auto isSpecial = [](uint32_t value) {
    return (value & 0x7fffffff) >= 0x7f800000;
  };
  constexpr uint32_t lastPlace = 0x2000;
  if (!isSpecial(bits))
    bits += lastPlace / 2;
  bits &= ~(lastPlace - 1);
  return saturate && isSpecial(bits) ? bits - lastPlace : bits;
}

Decoded decodeTf32(Decoder &decoder, const ConversionModes &modes) {
  bool away = modes.rounding == Rounding::nearestAway;
  if (!away && !isNearestOrZero(modes))
    decoder.refuse("to tf32 the rounding is .rna, .rn or .rz");
  if (modes.flush || modes.saturate || (away && modes.relu))
    decoder.refuse("to tf32 there is neither .ftz nor .sat, and no .relu "
                   "with .rna");
  if (!away && modes.saturateFinite)
    decoder.refuse(".satfinite with .rn and .rz to tf32 needs sm_100");
  auto operands = takeOperands(decoder, Type::b32, Type::f32);
  if (away)
    return laneWise<uint32_t, uint32_t>(
        operands.target, operands.sources, [modes](uint32_t a) {
          return roundedAwayToTf32(a, modes.saturateFinite);
        });
  return laneWise<uint32_t, float>(
      operands.target, operands.sources, [modes](float a) {
        uint32_t bits = floatToTf32(a, modes.rounding, modes.saturateFinite);
        return rectified(bits, 0x80000000, modes.relu);
      });
}

/// Two f32 to a pair of halves; the first goes to the upper one.
Decoded decodeHalves(Decoder &decoder, Type to, const ConversionModes &modes) {
  if (!isNearestOrZero(modes))
    decoder.refuse("from f32 to a pair the rounding is .rn or .rz");
  if (modes.flush || modes.saturate)
    decoder.refuse("to a pair there is neither .ftz nor .sat");
  auto operands = takeOperands(decoder, Type::b32, Type::f32, Type::f32);
  auto make = [&](auto convert) {
    return laneWise<uint32_t, float, float>(
        operands.target, operands.sources, [=](float a, float b) {
          return uint32_t(convert(a)) << 16 | uint32_t(convert(b));
        });
  };
  bool plain = modes.rounding == Rounding::nearestEven && !modes.relu &&
               !modes.saturateFinite;
  if (plain)
    return to == Type::f16x2 ? make([](float a) { return floatToF16(a); })
                             : make([](float a) { return floatToBf16(a); });
  const FloatFormat format = to == Type::f16x2 ? f16Format : bf16Format;
  return make([=](float a) {
    uint32_t bits = encode(a, format, modes.rounding, modes.saturateFinite);
    return rectified(bits, 0x8000, modes.relu);
  });
}

uint32_t toEightBits(float value, const FloatFormat &format, bool relu) {
  return rectified(encode(value, format, Rounding::nearestEven, true), 0x80,
                   relu);
}

Decoded decodeToEightBits(Decoder &decoder, Type to, Type from,
                          const ConversionModes &modes) {
  if (!modes.hasRounding || modes.toIntegral ||
      modes.rounding != Rounding::nearestEven || !modes.saturateFinite)
    decoder.refuse("to 8-bit floats it needs .rn.satfinite");
  if (modes.flush || modes.saturate)
    decoder.refuse("to 8-bit floats there is neither .ftz nor .sat");
  const FloatFormat format = to == Type::e4m3x2 ? e4m3Format : e5m2Format;
  bool relu = modes.relu;
  auto pair = [=](float upper, float lower) {
    return static_cast<uint16_t>(toEightBits(upper, format, relu) << 8 |
                                 toEightBits(lower, format, relu));
  };
  if (from == Type::f32) {
    auto operands = takeOperands(decoder, Type::b16, Type::f32, Type::f32);
    return laneWise<uint16_t, float, float>(operands.target, operands.sources,
                                            pair);
  }
  if (from != Type::f16x2)
    decoder.refuse("8-bit floats come from .f32 or .f16x2");
  auto operands = takeOperands(decoder, Type::b16, Type::b32);
  return laneWise<uint16_t, uint32_t>(
      operands.target, operands.sources, [=](uint32_t a) {
        return pair(f16ToFloat(static_cast<uint16_t>(a >> 16)),
                    f16ToFloat(static_cast<uint16_t>(a)));
      });
}

Decoded decodeFromEightBits(Decoder &decoder, Type to, Type from,
                            const ConversionModes &modes) {
  if (to != Type::f16x2)
    decoder.refuse("8-bit floats become .f16x2 only");
  if (!modes.hasRounding || modes.toIntegral ||
      modes.rounding != Rounding::nearestEven || modes.flush ||
      modes.saturate || modes.saturateFinite)
    decoder.refuse("from 8-bit floats it takes .rn or .rn.relu");
  auto operands = takeOperands(decoder, Type::b32, Type::b16);
  bool isE4m3 = from == Type::e4m3x2, relu = modes.relu;
  return laneWise<uint32_t, uint16_t>(
      operands.target, operands.sources, [=](uint16_t a) {
        auto half = [=](uint8_t bits) {
          float value = isE4m3 ? e4m3ToFloat(bits) : e5m2ToFloat(bits);
          return rectified(floatToF16(value), 0x8000, relu);
        };
        return half(static_cast<uint8_t>(a >> 8)) << 16 |
               half(static_cast<uint8_t>(a));
      });
}

/// `value` into `bits` bits, with or without a sign.
uint32_t packed(int32_t value, unsigned bits, bool isSigned) {
  int32_t greatest = (1 << (bits - isSigned)) - 1;
  int32_t least = isSigned ? -greatest - 1 : 0;
  return static_cast<uint32_t>(std::clamp(value, least, greatest)) &
         ((1u << bits) - 1);
}

} // namespace

bool ashlar::sim::isPackedConversion(Type to, Type from) {
  auto isPacked = [](Type type) {
    return type == Type::f16x2 || type == Type::bf16x2 || type == Type::tf32 ||
           isEightBits(type);
  };
  return isPacked(to) || isPacked(from);
}

Decoded ashlar::sim::decodePackedConversion(Decoder &decoder, Type to,
                                            Type from,
                                            const ConversionModes &modes) {
  if (isEightBits(to))
    return decodeToEightBits(decoder, to, from, modes);
  if (isEightBits(from))
    return decodeFromEightBits(decoder, to, from, modes);
  if (from != Type::f32)
    decoder.refuse("there is no such conversion on sm_90a: tf32 and pairs come "
                   "from .f32");
  if (to == Type::tf32)
    return decodeTf32(decoder, modes);
  return decodeHalves(decoder, to, modes);
}

/// d = c shifted up, then the saturated a and b.
Decoded ashlar::sim::decodePack(Decoder &decoder) {
  if (!decoder.modifiers.take("sat"))
    decoder.refuse("behind .pack stands .sat");
  int which = decoder.modifiers.takeOneOf(
      {"u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"});
  if (which < 0)
    decoder.refuse("it packs u16, s16, u8, s8, u4, s4, u2 or s2");
  unsigned bits = 16u >> which / 2;
  bool isSigned = which % 2;
  expectType(decoder, {Type::s32});
  if (bits == 16) {
    auto operands = takeOperands(decoder, Type::b32, Type::s32, Type::s32);
    return laneWise<uint32_t, int32_t, int32_t>(
        operands.target, operands.sources, [=](int32_t a, int32_t b) {
          return packed(a, 16, isSigned) << 16 | packed(b, 16, isSigned);
        });
  }
  expectType(decoder, {Type::b32});
  auto operands =
      takeOperands(decoder, Type::b32, Type::s32, Type::s32, Type::b32);
  return laneWise<uint32_t, int32_t, int32_t, uint32_t>(
      operands.target, operands.sources, [=](int32_t a, int32_t b, uint32_t c) {
        return c << 2 * bits | packed(a, bits, isSigned) << bits |
               packed(b, bits, isSigned);
      });
}
