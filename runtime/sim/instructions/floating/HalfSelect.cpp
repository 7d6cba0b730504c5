// f16 and bf16 instructions that do not round: abs, neg, min, max.
#include "runtime/sim/instructions/floating/FloatSelect.h"

using namespace ashlar::sim;
using ptx::Type;

namespace {

bool isBf16(Type type) { return type == Type::bf16 || type == Type::bf16x2; }

/// The modifiers and the type: .ftz is f16's alone.
Type expectHalf(Decoder &decoder, bool flush) {
  Type type =
      expectType(decoder, {Type::f16, Type::f16x2, Type::bf16, Type::bf16x2});
  if (flush && isBf16(type))
    decoder.refuse("bf16 has no .ftz");
  return type;
}

/// `change` on the halves of a register: both are changed by one operation on
/// the whole, so it gets the sign bits of all of them.
template <class Change> Decoded decodeSign(Decoder &decoder, Change change) {
  bool flush = decoder.modifiers.take("ftz");
  Type type = expectHalf(decoder, flush);
  if (ptx::bits(type) == 16)
    return unary<uint16_t>(decoder, type, [=](uint16_t a) {
      return static_cast<uint16_t>(
          change(flush ? flushedF16(a) : a, uint16_t(0x8000)));
    });
  return unary<uint32_t>(decoder, type, [=](uint32_t a) {
    if (flush)
      a = flushedF16(static_cast<uint16_t>(a)) |
          uint32_t(flushedF16(static_cast<uint16_t>(a >> 16))) << 16;
    return static_cast<uint32_t>(change(a, 0x80008000u));
  });
}

template <class Choose>
Decoded makeMinMax(Decoder &decoder, Type type, bool flush, Choose choose) {
  auto half = [=](uint16_t a, uint16_t b) {
    return flush ? choose(flushedF16(a), flushedF16(b)) : choose(a, b);
  };
  if (ptx::bits(type) == 16)
    return binary<uint16_t>(decoder, type, half);
  return binary<uint32_t>(decoder, type, [=](uint32_t a, uint32_t b) {
    uint32_t low = half(static_cast<uint16_t>(a), static_cast<uint16_t>(b));
    uint32_t high =
        half(static_cast<uint16_t>(a >> 16), static_cast<uint16_t>(b >> 16));
    return low | high << 16;
  });
}

template <uint16_t infinity, bool isMax>
Decoded decodeMinMaxOf(Decoder &decoder, Type type, bool flush, bool nan,
                       bool xorSign) {
  auto make = [&]<bool takesNan, bool takesSign>() {
    return makeMinMax(
        decoder, type, flush,
        chosen<uint16_t, infinity, canonicalNan16, isMax, takesNan, takesSign>);
  };
  if (nan)
    return xorSign ? make.template operator()<true, true>()
                   : make.template operator()<true, false>();
  return xorSign ? make.template operator()<false, true>()
                 : make.template operator()<false, false>();
}

} // namespace

Decoded ashlar::sim::decodeHalfAbsolute(Decoder &decoder) {
  return decodeSign(decoder, [](auto a, auto sign) { return a & ~sign; });
}

Decoded ashlar::sim::decodeHalfNegate(Decoder &decoder) {
  return decodeSign(decoder, [](auto a, auto sign) { return a ^ sign; });
}

Decoded ashlar::sim::decodeHalfMinMax(Decoder &decoder, bool isMax) {
  MinMaxModes modes = takeMinMaxModes(decoder);
  bool flush = modes.flush, nan = modes.nan, xorSign = modes.xorSign;
  Type type = expectHalf(decoder, flush);
  if (decoder.operandCount() > 3)
    decoder.refuse("three sources need sm_100");
  if (isBf16(type))
    return isMax ? decodeMinMaxOf<0x7f80, true>(decoder, type, flush, nan,
                                                xorSign)
                 : decodeMinMaxOf<0x7f80, false>(decoder, type, flush, nan,
                                                 xorSign);
  return isMax
             ? decodeMinMaxOf<0x7c00, true>(decoder, type, flush, nan, xorSign)
             : decodeMinMaxOf<0x7c00, false>(decoder, type, flush, nan,
                                             xorSign);
}
