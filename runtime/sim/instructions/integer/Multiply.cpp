// mul, mad, mul24, mad24 of integers (PTX ISA, "Integer Arithmetic
// Instructions").
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/integer/Integer.h"

#include <algorithm>

using namespace ashlar::sim;
using ptx::Type;

namespace {

constexpr std::initializer_list<Type> scalarTypes = {
    Type::u16, Type::u32, Type::u64, Type::s16, Type::s32, Type::s64};

/// The type of twice the width.
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 2, std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>,
    std::conditional_t<
        sizeof(T) == 4,
        std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>>;

template <class T> T highProduct(T a, T b) {
  return static_cast<T>((Wide<T>(a) * Wide<T>(b)) >> (8 * sizeof(T)));
}

template <class T> T lowProduct(T a, T b) {
  // Not in int, where the product of two uint16_t may overflow.
  return static_cast<T>(uint64_t(a) * uint64_t(b));
}

enum class Part : uint8_t { high, low, wide };

Part expectPart(Decoder &decoder, bool mayBeWide) {
  int index = decoder.modifiers.takeOneOf({"hi", "lo", "wide"});
  if (index < 0 || (index == 2 && !mayBeWide))
    decoder.refuse(mayBeWide ? "it needs .hi, .lo or .wide before its type"
                             : "it needs .hi or .lo before its type");
  return static_cast<Part>(index);
}

Type widened(Type type) {
  switch (type) {
  case Type::u16:
    return Type::u32;
  case Type::s16:
    return Type::s32;
  case Type::u32:
    return Type::u64;
  default:
    return Type::s64;
  }
}

template <class T> Decoded decodeWide(Decoder &decoder, Type type, bool adds) {
  Type wide = widened(type);
  using W = Wide<T>;
  if (!adds) {
    auto operands = takeOperands(decoder, wide, type, type);
    return laneWise<W, T, T>(operands.target, operands.sources,
                             [](T a, T b) { return W(a) * W(b); });
  }
  auto operands = takeOperands(decoder, wide, type, type, wide);
  return laneWise<W, T, T, W>(
      operands.target, operands.sources,
      [](T a, T b, W c) { return wrappedSum<W>(W(a) * W(b), c); });
}

template <class T>
Decoded decodeProduct(Decoder &decoder, Type type, Part part, bool adds) {
  if (part == Part::high && adds)
    return ternary<T>(decoder, type, [](T a, T b, T c) {
      return wrappedSum(highProduct(a, b), c);
    });
  if (part == Part::high)
    return binary<T>(decoder, type, highProduct<T>);
  if (adds)
    return ternary<T>(decoder, type, [](T a, T b, T c) {
      return wrappedSum(lowProduct(a, b), c);
    });
  return binary<T>(decoder, type, [](T a, T b) { return lowProduct(a, b); });
}

Decoded decodeMultiply(Decoder &decoder, bool adds) {
  Part part = expectPart(decoder, true);
  if (part == Part::wide) {
    Type type =
        expectType(decoder, {Type::u16, Type::s16, Type::u32, Type::s32});
    switch (type) {
    case Type::u16:
      return decodeWide<uint16_t>(decoder, type, adds);
    case Type::s16:
      return decodeWide<int16_t>(decoder, type, adds);
    case Type::u32:
      return decodeWide<uint32_t>(decoder, type, adds);
    default:
      return decodeWide<int32_t>(decoder, type, adds);
    }
  }
  if (adds && part == Part::high && decoder.modifiers.take("sat"))
    return ternary<int32_t>(decoder, expectType(decoder, {Type::s32}),
                            [](int32_t a, int32_t b, int32_t c) {
                              return saturated(int64_t(highProduct(a, b)) + c);
                            });
  Type type = expectType(decoder, scalarTypes);
  return withInteger(type, [&]<class T>() {
    return decodeProduct<T>(decoder, type, part, adds);
  });
}

/// 24 bits of an operand of mul24 and mad24.
template <class T> int64_t low24(T value) {
  return std::is_signed_v<T>
             ? int64_t(static_cast<int32_t>(uint32_t(value) << 8) >> 8)
             : int64_t(uint32_t(value) & 0xffffff);
}

template <class T, bool high> T product24(T a, T b) {
  return static_cast<T>((low24(a) * low24(b)) >> (high ? 16 : 0));
}

template <class T, bool high>
Decoded decodeProduct24(Decoder &decoder, Type type, bool adds) {
  if (!adds)
    return binary<T>(decoder, type, product24<T, high>);
  return ternary<T>(decoder, type, [](T a, T b, T c) {
    return wrappedSum(product24<T, high>(a, b), c);
  });
}

Decoded decodeMultiply24(Decoder &decoder, bool adds) {
  bool high = expectPart(decoder, false) == Part::high;
  if (adds && high && decoder.modifiers.take("sat"))
    return ternary<int32_t>(decoder, expectType(decoder, {Type::s32}),
                            [](int32_t a, int32_t b, int32_t c) {
                              return saturated(
                                  int64_t(product24<int32_t, true>(a, b)) + c);
                            });
  Type type = expectType(decoder, {Type::u32, Type::s32});
  if (type == Type::s32)
    return high ? decodeProduct24<int32_t, true>(decoder, type, adds)
                : decodeProduct24<int32_t, false>(decoder, type, adds);
  return high ? decodeProduct24<uint32_t, true>(decoder, type, adds)
              : decodeProduct24<uint32_t, false>(decoder, type, adds);
}

} // namespace

Decoded ashlar::sim::decodeIntegerMultiply(Decoder &decoder) {
  return decodeMultiply(decoder, false);
}

Decoded ashlar::sim::decodeIntegerMultiplyAdd(Decoder &decoder) {
  // Of mad.{hi,lo}.cc the carry stands anywhere behind the part.
  if (std::ranges::count(decoder.text.modifiers, "cc"))
    return decodeMultiplyAddWithCarry(decoder, false);
  return decodeMultiply(decoder, true);
}

void ashlar::sim::addMultiply24Instructions(OpcodeTable &table) {
  table.add("mul24", [](Decoder &d) { return decodeMultiply24(d, false); });
  table.add("mad24", [](Decoder &d) { return decodeMultiply24(d, true); });
}
