// f32 and f64 instructions that do not round: abs, neg, min, max, copysign,
// testp.
#include "runtime/sim/instructions/floating/FloatSelect.h"
#include "runtime/sim/instructions/Opcodes.h"

#include <limits>

using namespace ashlar::sim;
using ptx::Type;

namespace {

/// abs and neg change the sign bit alone; what a NaN becomes is not specified.
template <class T, class Change>
Decoded decodeSignChange(Decoder &decoder, bool flush, Type type,
                         Change change) {
  return unary<T>(decoder, type, [=](T a) {
    if (sizeof(T) == 4 && flush)
      a = static_cast<T>(flushed(static_cast<uint32_t>(a)));
    return static_cast<T>(change(a, T(1) << (8 * sizeof(T) - 1)));
  });
}

template <class Change> Decoded decodeSign(Decoder &decoder, Change change) {
  bool flush = decoder.modifiers.take("ftz");
  Type type = expectType(decoder, {Type::f32, Type::f64});
  if (type == Type::f32)
    return decodeSignChange<uint32_t>(decoder, flush, type, change);
  if (flush)
    decoder.refuse("f64 has no .ftz");
  return decodeSignChange<uint64_t>(decoder, false, type, change);
}

template <bool isMax, bool nan, bool xorSign, bool flush>
uint32_t single(uint32_t a, uint32_t b) {
  if (flush) {
    a = flushed(a);
    b = flushed(b);
  }
  return chosen<uint32_t, 0x7f800000, canonicalNan32, isMax, nan, xorSign>(a,
                                                                           b);
}

template <bool isMax, bool nan, bool xorSign>
Decoded decodeSingle(Decoder &decoder, bool flush) {
  return flush ? binary<uint32_t>(decoder, Type::f32,
                                  single<isMax, nan, xorSign, true>)
               : binary<uint32_t>(decoder, Type::f32,
                                  single<isMax, nan, xorSign, false>);
}

template <bool isMax> Decoded decodeMinMax(Decoder &decoder) {
  if (endsInHalf(decoder))
    return decodeHalfMinMax(decoder, isMax);
  MinMaxModes modes = takeMinMaxModes(decoder);
  bool flush = modes.flush, nan = modes.nan, xorSign = modes.xorSign;
  Type type = expectType(decoder, {Type::f32, Type::f64});
  if (decoder.operandCount() > 3)
    decoder.refuse("three sources need sm_100");
  if (type == Type::f32)
    return nan ? xorSign ? decodeSingle<isMax, true, true>(decoder, flush)
                         : decodeSingle<isMax, true, false>(decoder, flush)
           : xorSign ? decodeSingle<isMax, false, true>(decoder, flush)
                     : decodeSingle<isMax, false, false>(decoder, flush);
  if (flush || nan || xorSign)
    decoder.refuse("f64 has neither .ftz nor .NaN nor .xorsign.abs");
  return binary<uint64_t>(decoder, type,
                          chosen<uint64_t, 0x7ff0000000000000,
                                 0x7fffffffffffffff, isMax, false, false>);
}

/// d = b with the sign of a.
Decoded decodeCopySign(Decoder &decoder) {
  Type type = expectType(decoder, {Type::f32, Type::f64});
  if (type == Type::f32)
    return binary<uint32_t>(decoder, type, [](uint32_t a, uint32_t b) {
      return (a & 0x80000000) | (b & 0x7fffffff);
    });
  constexpr uint64_t sign = uint64_t(1) << 63;
  return binary<uint64_t>(decoder, type, [](uint64_t a, uint64_t b) {
    return (a & sign) | (b & ~sign);
  });
}

enum class Property : uint8_t {
  finite,
  infinite,
  number,
  notanumber,
  normal,
  subnormal,
};

template <class T, T infinity> bool has(Property property, T bits) {
  T magnitude = bits & (~T(0) >> 1);
  bool isSubnormal = magnitude && !(magnitude & infinity);
  switch (property) {
  case Property::finite:
    return magnitude < infinity;
  case Property::infinite:
    return magnitude == infinity;
  case Property::number:
    return magnitude <= infinity;
  case Property::notanumber:
    return magnitude > infinity;
  case Property::normal: // zeros count as normal
    return magnitude < infinity && !isSubnormal;
  case Property::subnormal:
    return isSubnormal;
  }
  return false;
}

Decoded decodeTest(Decoder &decoder) {
  int index = decoder.modifiers.takeOneOf(
      {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  if (index < 0)
    decoder.refuse("it needs what to test first: .finite, .infinite, .number, "
                   ".notanumber, .normal or .subnormal");
  auto property = static_cast<Property>(index);
  Type type = expectType(decoder, {Type::f32, Type::f64});
  decoder.expectNoMoreModifiers();
  decoder.expectOperands(2);
  Slot target = decoder.predicateTarget(decoder.operand(0));
  Slot source = decoder.source(decoder.operand(1), type);
  if (type == Type::f32)
    return lanePredicate<uint32_t>(target, {source}, [=](uint32_t a) {
      return has<uint32_t, 0x7f800000>(property, a);
    });
  return lanePredicate<uint64_t>(target, {source}, [=](uint64_t a) {
    return has<uint64_t, 0x7ff0000000000000>(property, a);
  });
}

} // namespace

MinMaxModes ashlar::sim::takeMinMaxModes(Decoder &decoder) {
  unsigned flags = takeFlags(decoder, {"ftz", "NaN", "xorsign", "abs"});
  MinMaxModes modes{bool(flags & 1), bool(flags & 2), bool(flags & 4)};
  if (modes.xorSign != bool(flags & 8))
    decoder.refuse(".xorsign and .abs stand together: .xorsign.abs");
  return modes;
}

Decoded ashlar::sim::decodeFloatAbsolute(Decoder &decoder) {
  if (endsInHalf(decoder))
    return decodeHalfAbsolute(decoder);
  return decodeSign(decoder, [](auto a, auto sign) { return a & ~sign; });
}
Decoded ashlar::sim::decodeFloatNegate(Decoder &decoder) {
  if (endsInHalf(decoder))
    return decodeHalfNegate(decoder);
  return decodeSign(decoder, [](auto a, auto sign) { return a ^ sign; });
}
Decoded ashlar::sim::decodeFloatMin(Decoder &decoder) {
  return decodeMinMax<false>(decoder);
}
Decoded ashlar::sim::decodeFloatMax(Decoder &decoder) {
  return decodeMinMax<true>(decoder);
}

void ashlar::sim::addFloatSelectInstructions(OpcodeTable &table) {
  table.add("copysign", decodeCopySign);
  table.add("testp", decodeTest);
}
