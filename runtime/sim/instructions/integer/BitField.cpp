// Counting, finding and moving bits: popc, clz, bfind, fns, brev, bfe, bfi,
// bmsk, szext (PTX ISA, "Integer Arithmetic Instructions").
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/integer/Integer.h"

#include <algorithm>

using namespace ashlar::sim;
using ptx::Type;

namespace {

template <class T> constexpr unsigned width = 8 * sizeof(T);

/// 32 or 64 bits in, a count out.
template <class Count> Decoded decodeCount(Decoder &decoder, Count count) {
  Type type = expectType(decoder, {Type::b32, Type::b64});
  auto operands = takeOperands(decoder, Type::u32, type);
  if (type == Type::b32)
    return laneWise<uint32_t, uint32_t>(
        operands.target, operands.sources,
        [=](uint32_t a) { return static_cast<uint32_t>(count(a)); });
  return laneWise<uint32_t, uint64_t>(
      operands.target, operands.sources,
      [=](uint64_t a) { return static_cast<uint32_t>(count(a)); });
}

Decoded decodePopulation(Decoder &decoder) {
  return decodeCount(decoder, [](auto a) { return std::popcount(a); });
}

Decoded decodeLeadingZeros(Decoder &decoder) {
  return decodeCount(decoder, [](auto a) { return std::countl_zero(a); });
}

/// The highest bit that differs from the sign; all ones when there is none.
template <class T> uint32_t highestBit(T a) {
  using Bits = std::make_unsigned_t<T>;
  auto bits = static_cast<Bits>(a < 0 ? ~a : a);
  return bits ? width<T> - 1 - static_cast<uint32_t>(std::countl_zero(bits))
              : ~0u;
}

Decoded decodeFindHighest(Decoder &decoder) {
  bool asShift = decoder.modifiers.take("shiftamt");
  Type type = expectType(decoder, {Type::u32, Type::s32, Type::u64, Type::s64});
  auto operands = takeOperands(decoder, Type::u32, type);
  return withInteger(type, [&]<class T>() {
    return laneWise<uint32_t, T>(
        operands.target, operands.sources, [asShift](T a) {
          uint32_t found = highestBit(a);
          return asShift && found != ~0u ? width<T> - 1 - found : found;
        });
  });
}

/// The offset-th set bit from `base` on, upwards or, for a negative offset,
/// downwards; all ones when there is none.
uint32_t findNthSet(uint32_t mask, uint32_t base, int32_t offset) {
  if (base >= 32)
    return ~0u;
  if (offset == 0)
    return mask >> base & 1 ? base : ~0u;
  int64_t left = offset < 0 ? -int64_t(offset) : offset;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32;
       bit += offset < 0 ? -1 : 1)
    if ((mask >> bit & 1) && --left == 0)
      return static_cast<uint32_t>(bit);
  return ~0u;
}

Decoded decodeFindNthSet(Decoder &decoder) {
  expectType(decoder, {Type::b32});
  auto operands =
      takeOperands(decoder, Type::b32, Type::b32, Type::b32, Type::s32);
  return laneWise<uint32_t, uint32_t, uint32_t, int32_t>(
      operands.target, operands.sources, findNthSet);
}

template <class T> T reversed(T a) {
  // Halves are swapped, then their halves, and so on; the quotient has the
  // lower half of each pair set.
  for (unsigned distance = width<T> / 2; distance; distance /= 2) {
    T mask = ~T(0) / ((T(1) << distance) + 1);
    a = static_cast<T>((a >> distance & mask) | (a & mask) << distance);
  }
  return a;
}

Decoded decodeReverse(Decoder &decoder) {
  Type type = expectType(decoder, {Type::b32, Type::b64});
  return withInteger(
      type, [&]<class T>() { return unary<T>(decoder, type, reversed<T>); });
}

template <class T> T lowMask(uint64_t bits) {
  return bits >= width<T> ? ~T(0) : static_cast<T>((T(1) << bits) - 1);
}

/// A position or a length: the lower 8 bits count, but the hardware takes all
/// 32 where the field is one of 64 bits.
template <class T> uint64_t fieldOperand(uint32_t word) {
  return sizeof(T) == 8 ? word : word & 0xff;
}

/// `length` bits of `a` from `position` on. Beyond the value stands its sign,
/// which for a signed type is the field's last bit that `a` has.
template <class T>
T extracted(T a, uint32_t positionWord, uint32_t lengthWord) {
  using Bits = std::make_unsigned_t<T>;
  uint64_t position = fieldOperand<T>(positionWord),
           length = fieldOperand<T>(lengthWord);
  auto bits = static_cast<Bits>(a);
  Bits field = position < width<T> ? bits >> position : 0;
  uint64_t have =
      std::min(length, position < width<T> ? width<T> - position : 0);
  field &= lowMask<Bits>(have);
  if (!std::is_signed_v<T> || length == 0)
    return static_cast<T>(field);
  uint64_t signAt = std::min<uint64_t>(position + length - 1, width<T> - 1);
  if (bits >> signAt & 1)
    field |= ~lowMask<Bits>(have);
  return static_cast<T>(field);
}

Decoded decodeExtract(Decoder &decoder) {
  Type type = expectType(decoder, {Type::u32, Type::s32, Type::u64, Type::s64});
  auto operands = takeOperands(decoder, type, type, Type::u32, Type::u32);
  return withInteger(type, [&]<class T>() {
    return laneWise<T, T, uint32_t, uint32_t>(operands.target, operands.sources,
                                              extracted<T>);
  });
}

/// `b` with `length` bits of `a` put in from `position` on.
template <class T>
T inserted(T a, T b, uint32_t positionWord, uint32_t lengthWord) {
  uint64_t position = fieldOperand<T>(positionWord),
           length = fieldOperand<T>(lengthWord);
  if (position >= width<T>)
    return b;
  T mask = static_cast<T>(lowMask<T>(length) << position);
  return static_cast<T>((b & ~mask) | (a << position & mask));
}

Decoded decodeInsert(Decoder &decoder) {
  Type type = expectType(decoder, {Type::b32, Type::b64});
  auto operands = takeOperands(decoder, type, type, type, Type::u32, Type::u32);
  return withInteger(type, [&]<class T>() {
    return laneWise<T, T, T, uint32_t, uint32_t>(operands.target,
                                                 operands.sources, inserted<T>);
  });
}

bool expectClamp(Decoder &decoder) {
  int mode = decoder.modifiers.takeOneOf({"clamp", "wrap"});
  if (mode < 0)
    decoder.refuse("it needs .clamp or .wrap first");
  return mode == 0;
}

template <bool clamp> uint32_t bitMask(uint32_t position, uint32_t length) {
  if (clamp && position >= 32)
    return 0;
  uint32_t above = ~0u << (position & 31);
  if (clamp && length >= 32)
    return above;
  unsigned end = (position & 31) + (length & 31);
  return above & lowMask<uint32_t>(end);
}

Decoded decodeBitMask(Decoder &decoder) {
  bool clamp = expectClamp(decoder);
  Type type = expectType(decoder, {Type::b32});
  return clamp ? binary<uint32_t>(decoder, type, bitMask<true>)
               : binary<uint32_t>(decoder, type, bitMask<false>);
}

template <bool clamp, class T> T extended(T a, uint32_t count) {
  if (clamp && count >= 32)
    return a;
  unsigned bits = count & 31;
  uint32_t mask = lowMask<uint32_t>(bits);
  bool sign = std::is_signed_v<T> && bits && (uint32_t(a) >> (bits - 1) & 1);
  return static_cast<T>((uint32_t(a) & mask) | (sign ? ~mask : 0));
}

template <class T>
Decoded decodeExtendTo(Decoder &decoder, Type type, bool clamp) {
  auto operands = takeOperands(decoder, type, type, Type::u32);
  return clamp ? laneWise<T, T, uint32_t>(operands.target, operands.sources,
                                          extended<true, T>)
               : laneWise<T, T, uint32_t>(operands.target, operands.sources,
                                          extended<false, T>);
}

Decoded decodeExtend(Decoder &decoder) {
  bool clamp = expectClamp(decoder);
  Type type = expectType(decoder, {Type::u32, Type::s32});
  return type == Type::u32 ? decodeExtendTo<uint32_t>(decoder, type, clamp)
                           : decodeExtendTo<int32_t>(decoder, type, clamp);
}

} // namespace

void ashlar::sim::addBitFieldInstructions(OpcodeTable &table) {
  table.add("popc", decodePopulation);
  table.add("clz", decodeLeadingZeros);
  table.add("bfind", decodeFindHighest);
  table.add("fns", decodeFindNthSet);
  table.add("brev", decodeReverse);
  table.add("bfe", decodeExtract);
  table.add("bfi", decodeInsert);
  table.add("bmsk", decodeBitMask);
  table.add("szext", decodeExtend);
}
