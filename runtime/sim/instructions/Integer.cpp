// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions"), but for the
// forms with a carry, which stand in IntegerCarry.cpp, and the bit fields.
#include "runtime/sim/instructions/Integer.h"

#include <algorithm>
#include <limits>

using namespace ashlar::sim;
using ptx::Type;

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;

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

template <class T> T wrappedSum(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
}
template <class T> T wrappedDifference(T a, T b) {
  return static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b));
}

int32_t saturated(int64_t value) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()));
}

constexpr std::initializer_list<Type> scalarTypes = {
    Type::u16, Type::u32, Type::u64, Type::s16, Type::s32, Type::s64};
constexpr std::initializer_list<Type> scalarAndPairTypes = {
    Type::u16, Type::u32, Type::u64,   Type::s16,
    Type::s32, Type::s64, Type::u16x2, Type::s16x2};

/// `operation` on both halves of 32 bits.
template <class Half, class Operation>
Decoded packed(Decoder &decoder, Type type, Operation operation) {
  return binary<uint32_t>(decoder, type, [=](uint32_t a, uint32_t b) {
    auto low = static_cast<uint16_t>(
        operation(static_cast<Half>(a), static_cast<Half>(b)));
    auto high = static_cast<uint16_t>(
        operation(static_cast<Half>(a >> 16), static_cast<Half>(b >> 16)));
    return low | uint32_t(high) << 16;
  });
}

enum class MinMax : uint8_t { min, max };

template <MinMax which, bool relu, class T> T chooseOf(T a, T b) {
  T chosen = which == MinMax::min ? (a < b ? a : b) : (a > b ? a : b);
  return relu && chosen < T(0) ? T(0) : chosen;
}

template <MinMax which, bool relu>
Decoded decodeMinMaxOf(Decoder &decoder, Type type) {
  if (type == Type::s16x2)
    return packed<int16_t>(decoder, type, chooseOf<which, relu, int16_t>);
  if (type == Type::u16x2)
    return packed<uint16_t>(decoder, type, chooseOf<which, relu, uint16_t>);
  return withInteger(type, [&]<class T>() {
    return binary<T>(decoder, type,
                     [](T a, T b) { return chooseOf<which, relu>(a, b); });
  });
}

/// .relu stands before the type in the ISA's syntax; the headers of CUDA write
/// it behind.
template <MinMax which> Decoded decodeMinMax(Decoder &decoder) {
  bool first = decoder.modifiers.take("relu");
  Type type = expectType(decoder, scalarAndPairTypes);
  if (!decoder.modifiers.take("relu") && !first)
    return decodeMinMaxOf<which, false>(decoder, type);
  if (type != Type::s16x2 && type != Type::s32)
    decoder.refuse(".relu is for .s32 and .s16x2");
  return decodeMinMaxOf<which, true>(decoder, type);
}

/// The quotient that the hardware gives: all ones for a division by zero, and
/// the least number divided by -1 is itself.
template <class T> T quotient(T a, T b) {
  if (b == 0)
    return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return wrappedDifference<T>(0, a);
  return static_cast<T>(a / b);
}
template <class T> T remainder(T a, T b) {
  if (b == 0)
    return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1))
    return 0;
  return static_cast<T>(a % b);
}

Decoded decodeDivision(Decoder &decoder) {
  Type type = expectType(decoder, scalarTypes);
  return withInteger(type, [&]<class T>() {
    return binary<T>(decoder, type, [](T a, T b) { return quotient(a, b); });
  });
}

Decoded decodeRemainder(Decoder &decoder) {
  Type type = expectType(decoder, scalarTypes);
  return withInteger(type, [&]<class T>() {
    return binary<T>(decoder, type, [](T a, T b) { return remainder(a, b); });
  });
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

Decoded decodeAbsoluteDifference(Decoder &decoder) {
  Type type = expectType(decoder, scalarTypes);
  return withInteger(type, [&]<class T>() {
    return ternary<T>(decoder, type, [](T a, T b, T c) {
      return wrappedSum(c, a < b ? wrappedDifference(b, a)
                                 : wrappedDifference(a, b));
    });
  });
}

/// Sum of products of bytes of a with bytes (dp4a) or halves (dp2a) of b.
template <class A, class B, unsigned count, unsigned first>
uint32_t dotProduct(uint32_t a, uint32_t b, uint32_t c) {
  for (unsigned index = 0; index < count; ++index)
    c += static_cast<uint32_t>(
        int32_t(static_cast<A>(a >> 8 * (first + index))) *
        int32_t(static_cast<B>(b >> 32 / count * index)));
  return c;
}

template <class A, class B>
Decoded decodeDotProductOf(Decoder &decoder, Operands<3> operands,
                           unsigned products, bool high) {
  auto make = [&](auto operation) {
    return laneWise<uint32_t, uint32_t, uint32_t, uint32_t>(
        operands.target, operands.sources, operation);
  };
  if (products == 4)
    return make([](uint32_t a, uint32_t b, uint32_t c) {
      return dotProduct<A, B, 4, 0>(a, b, c);
    });
  using Half = std::conditional_t<std::is_signed_v<B>, int16_t, uint16_t>;
  if (high)
    return make([](uint32_t a, uint32_t b, uint32_t c) {
      return dotProduct<A, Half, 2, 2>(a, b, c);
    });
  return make([](uint32_t a, uint32_t b, uint32_t c) {
    return dotProduct<A, Half, 2, 0>(a, b, c);
  });
}

Decoded decodeDotProduct(Decoder &decoder, unsigned products) {
  bool high = products == 2 && expectPart(decoder, false) == Part::high;
  Type a = expectType(decoder, {Type::u32, Type::s32});
  Type b = expectType(decoder, {Type::u32, Type::s32});
  Type c = a == Type::u32 && b == Type::u32 ? Type::u32 : Type::s32;
  auto operands = takeOperands(decoder, c, a, b, c);
  if (a == Type::u32)
    return b == Type::u32
               ? decodeDotProductOf<uint8_t, uint8_t>(decoder, operands,
                                                      products, high)
               : decodeDotProductOf<uint8_t, int8_t>(decoder, operands,
                                                     products, high);
  return b == Type::u32 ? decodeDotProductOf<int8_t, uint8_t>(decoder, operands,
                                                              products, high)
                        : decodeDotProductOf<int8_t, int8_t>(decoder, operands,
                                                             products, high);
}

} // namespace

Decoded ashlar::sim::decodeIntegerAdd(Decoder &decoder) {
  if (decoder.modifiers.take("cc"))
    return decodeAddWithCarry(decoder, false, true);
  if (decoder.modifiers.take("sat"))
    return binary<int32_t>(
        decoder, expectType(decoder, {Type::s32}),
        [](int32_t a, int32_t b) { return saturated(int64_t(a) + b); });
  Type type = expectType(decoder, scalarAndPairTypes);
  if (type == Type::u16x2 || type == Type::s16x2)
    return packed<uint16_t>(decoder, type,
                            [](uint16_t a, uint16_t b) { return a + b; });
  return withInteger(type, [&]<class T>() {
    return binary<T>(decoder, type, [](T a, T b) { return wrappedSum(a, b); });
  });
}

Decoded ashlar::sim::decodeIntegerSubtract(Decoder &decoder) {
  if (decoder.modifiers.take("cc"))
    return decodeSubtractWithCarry(decoder, false, true);
  if (decoder.modifiers.take("sat"))
    return binary<int32_t>(
        decoder, expectType(decoder, {Type::s32}),
        [](int32_t a, int32_t b) { return saturated(int64_t(a) - b); });
  Type type = expectType(decoder, scalarTypes);
  return withInteger(type, [&]<class T>() {
    return binary<T>(decoder, type,
                     [](T a, T b) { return wrappedDifference(a, b); });
  });
}

Decoded ashlar::sim::decodeIntegerMultiply(Decoder &decoder) {
  return decodeMultiply(decoder, false);
}

Decoded ashlar::sim::decodeIntegerMultiplyAdd(Decoder &decoder) {
  // Of mad.{hi,lo}.cc the carry stands behind the part.
  const auto &all = decoder.text.modifiers;
  if (all.size() > 1 && all[1] == "cc")
    return decodeMultiplyAddWithCarry(decoder, false);
  return decodeMultiply(decoder, true);
}

Decoded ashlar::sim::decodeIntegerDivide(Decoder &decoder) {
  return decodeDivision(decoder);
}

Decoded ashlar::sim::decodeIntegerAbsolute(Decoder &decoder) {
  Type type = expectType(decoder, {Type::s16, Type::s32, Type::s64});
  return withInteger(type, [&]<class T>() {
    return unary<T>(decoder, type,
                    [](T a) { return a < 0 ? wrappedDifference<T>(0, a) : a; });
  });
}

Decoded ashlar::sim::decodeIntegerNegate(Decoder &decoder) {
  Type type = expectType(decoder, {Type::s16, Type::s32, Type::s64});
  return withInteger(type, [&]<class T>() {
    return unary<T>(decoder, type,
                    [](T a) { return wrappedDifference<T>(0, a); });
  });
}

Decoded ashlar::sim::decodeIntegerMin(Decoder &decoder) {
  return decodeMinMax<MinMax::min>(decoder);
}
Decoded ashlar::sim::decodeIntegerMax(Decoder &decoder) {
  return decodeMinMax<MinMax::max>(decoder);
}

void ashlar::sim::addIntegerInstructions(DecoderTable &table) {
  table["add"] = byType<decodeIntegerAdd, decodeFloatAdd>;
  table["sub"] = byType<decodeIntegerSubtract, decodeFloatSubtract>;
  table["mul"] = byType<decodeIntegerMultiply, decodeFloatMultiply>;
  table["mad"] = byType<decodeIntegerMultiplyAdd, decodeFloatMultiplyAdd>;
  table["div"] = byType<decodeIntegerDivide, decodeFloatDivide>;
  table["abs"] = byType<decodeIntegerAbsolute, decodeFloatAbsolute>;
  table["neg"] = byType<decodeIntegerNegate, decodeFloatNegate>;
  table["min"] = byType<decodeIntegerMin, decodeFloatMin>;
  table["max"] = byType<decodeIntegerMax, decodeFloatMax>;
  table["rem"] = decodeRemainder;
  table["sad"] = decodeAbsoluteDifference;
  table["mul24"] = [](Decoder &d) { return decodeMultiply24(d, false); };
  table["mad24"] = [](Decoder &d) { return decodeMultiply24(d, true); };
  table["dp4a"] = [](Decoder &d) { return decodeDotProduct(d, 4); };
  table["dp2a"] = [](Decoder &d) { return decodeDotProduct(d, 2); };
  addCarryInstructions(table);
  addBitFieldInstructions(table);
}
