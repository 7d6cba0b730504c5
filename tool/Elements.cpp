#include "tool/Elements.h"

#include "compiler/target/Elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace ashlar::harness {

namespace {

/// What an exponent of all ones means.
enum class LastBinade {
  special,   ///< infinity and NaN
  numbers,   ///< numbers, but for NaN where the mantissa is all ones too
  allNumbers ///< numbers
};

/// A binary floating-point type: sign, exponent, mantissa.
struct Format {
  int exponentBits;
  int mantissaBits;
  double largest;
  LastBinade last = LastBinade::special;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint32_t signBit() const { return 1u << (exponentBits + mantissaBits); }
  /// What has no NaN takes its largest value for one.
  uint32_t nan() const { return signBit() - 1; }
};

Format format(ElementType type) {
  switch (type) {
  case ElementType::bf16:
    return {8, 7, 0x1.fep127};
  case ElementType::f16:
    return {5, 10, 65504};
  case ElementType::tf32:
    return {8, 10, 0x1.ffcp127};
  case ElementType::e4m3:
    return {4, 3, 448, LastBinade::numbers};
  case ElementType::e5m2:
    return {5, 2, 57344};
  case ElementType::e2m1:
    return {2, 1, 6, LastBinade::allNumbers};
  case ElementType::e8m0: // has no sign besides
    return {8, 0, 0x1p127};
  case ElementType::f32:
  case ElementType::s8:
  case ElementType::u8:
  case ElementType::s16:
  case ElementType::s32:
  case ElementType::s4:
  case ElementType::u4: // integers have none, and nobody asks
    break;
  }
  return {8, 23, std::numeric_limits<float>::max()};
}

/// Numbers below the smallest normal one are all the same distance apart; above
/// there are 2^mantissaBits per binade, so rounding up into the next binade
/// carries into the exponent by itself.
uint32_t encodeFloat(const Format &format, double value) {
  if (std::isnan(value))
    return format.nan();
  const uint32_t sign = std::signbit(value) ? format.signBit() : 0;
  const double magnitude = std::min(std::fabs(value), format.largest);
  const int smallest = 1 - format.bias() - format.mantissaBits;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int unit = magnitude == 0
                       ? smallest
                       : std::max(exponent - 1 - format.mantissaBits, smallest);
  const auto steps =
      static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  const auto binade = static_cast<uint32_t>(unit - smallest);
  return sign | ((binade << format.mantissaBits) + steps);
}

double decodeFloat(const Format &format, uint32_t bits) {
  const uint32_t ones = (1u << format.exponentBits) - 1;
  const uint32_t mantissa = bits & ((1u << format.mantissaBits) - 1);
  const uint32_t exponent = bits >> format.mantissaBits & ones;
  const double sign = bits & format.signBit() ? -1 : 1;
  const bool isLast = exponent == ones;
  if (format.last == LastBinade::numbers &&
      (bits & format.nan()) == format.nan())
    return std::numeric_limits<double>::quiet_NaN();
  if (format.last == LastBinade::special && isLast)
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - format.bias() - format.mantissaBits);
  // A double's exponent is wider, its bias 1023, and its mantissa has 52 bits.
  return sign * std::bit_cast<double>(
                    (uint64_t{exponent} + 1023 - format.bias()) << 52 |
                    uint64_t{mantissa} << (52 - format.mantissaBits));
}

/// tf32 lies in memory as an f32 whose lower 13 bits are not read.
constexpr int tf32UnusedBits = 13;

template <typename Integer> uint32_t encodeInteger(double value) {
  if (std::isnan(value))
    return 0;
  using Limits = std::numeric_limits<Integer>;
  const double clamped =
      std::clamp<double>(std::nearbyint(value), Limits::min(), Limits::max());
  return static_cast<std::make_unsigned_t<Integer>>(
      static_cast<Integer>(clamped));
}

constexpr int e8m0Bias = 127;
constexpr uint32_t e8m0Nan = 0xff;

/// The nearest power of two, of two as near the one whose exponent is stored as
/// an even number; the least one for what is not positive.
uint32_t encodeScale(double value) {
  if (std::isnan(value))
    return e8m0Nan;
  if (!(value > std::ldexp(1, -e8m0Bias)))
    return 0;
  if (value >= 0x1p127)
    return e8m0Nan - 1;
  const int below = std::ilogb(value);
  const double mantissa = std::ldexp(value, -below);
  const auto stored = static_cast<uint32_t>(below + e8m0Bias);
  return stored + (mantissa > 1.5 || (mantissa == 1.5 && stored % 2 == 1));
}

double decodeScale(uint32_t bits) {
  return bits == e8m0Nan ? std::numeric_limits<double>::quiet_NaN()
                         : std::ldexp(1, static_cast<int>(bits) - e8m0Bias);
}

/// Integers of four bits, the last of them `most`.
uint32_t encodeNibble(double value, int least, int most) {
  if (std::isnan(value))
    return 0;
  return static_cast<uint32_t>(static_cast<int>(
             std::clamp<double>(std::nearbyint(value), least, most))) &
         0xf;
}

} // namespace

uint32_t loadBits(ElementType type, const std::byte *first, int64_t offset) {
  const int64_t bytes = size_bytes(type), together = pack_length(type);
  uint32_t bits = 0;
  if (together == 1) {
    // Of a length that is known: reading is what references do most.
    if (bytes == 1)
      std::memcpy(&bits, first + offset, 1);
    else if (bytes == 2)
      std::memcpy(&bits, first + 2 * offset, 2);
    else
      std::memcpy(&bits, first + 4 * offset, 4);
    return bits;
  }
  std::memcpy(&bits, first + offset / together * bytes, bytes);
  const auto width = 8 * bytes / together;
  return bits >> offset % together * width & ((1u << width) - 1);
}

void storeBits(ElementType type, std::byte *first, int64_t offset,
               uint32_t bits) {
  const int64_t bytes = size_bytes(type), together = pack_length(type);
  std::byte *at = first + offset / together * bytes;
  if (together > 1) {
    const auto width = 8 * bytes / together, shift = offset % together * width;
    const uint32_t mask = ((1u << width) - 1) << shift;
    uint32_t all = 0;
    std::memcpy(&all, at, bytes);
    bits = (all & ~mask) | (bits << shift & mask);
  }
  std::memcpy(at, &bits, bytes);
}

int64_t bytesOf(ElementType type, int64_t elements) {
  const int64_t together = pack_length(type);
  return (elements + together - 1) / together * size_bytes(type);
}

bool allOnesIsValue(ElementType type) {
  return isInteger(type) || format(type).last == LastBinade::allNumbers;
}

uint32_t poisonBits(ElementType type, int64_t element) {
  const auto bits = static_cast<int>(8 * size_bytes(type) / pack_length(type));
  const uint32_t ones = std::numeric_limits<uint32_t>::max() >> (32 - bits);
  if (!allOnesIsValue(type))
    return ones;
  // The first steps of splitmix64.
  uint64_t x = static_cast<uint64_t>(element + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return static_cast<uint32_t>(x >> 32) & ones;
}

uint32_t encode(ElementType type, double value) {
  switch (type) {
  case ElementType::s4:
    return encodeNibble(value, -8, 7);
  case ElementType::u4:
    return encodeNibble(value, 0, 15);
  case ElementType::e8m0:
    return encodeScale(value);
  case ElementType::s8:
    return encodeInteger<int8_t>(value);
  case ElementType::u8:
    return encodeInteger<uint8_t>(value);
  case ElementType::s16:
    return encodeInteger<int16_t>(value);
  case ElementType::s32:
    return encodeInteger<int32_t>(value);
  case ElementType::tf32:
    return encodeFloat(format(type), value) << tf32UnusedBits;
  case ElementType::bf16:
  case ElementType::f16:
  case ElementType::f32:
  case ElementType::e4m3:
  case ElementType::e5m2:
  case ElementType::e2m1:
    break;
  }
  return encodeFloat(format(type), value);
}

double decode(ElementType type, uint32_t bits) {
  switch (type) {
  case ElementType::s8:
    return static_cast<int8_t>(bits);
  case ElementType::u8:
    return static_cast<uint8_t>(bits);
  case ElementType::s16:
    return static_cast<int16_t>(bits);
  case ElementType::s32:
    return static_cast<int32_t>(bits);
  case ElementType::s4:
    return static_cast<int>(bits ^ 8) - 8;
  case ElementType::u4:
    return bits;
  case ElementType::e8m0:
    return decodeScale(bits);
  case ElementType::f32:
  case ElementType::tf32: // a kernel may store more bits than are read back
    return std::bit_cast<float>(bits);
  case ElementType::bf16:
    return std::bit_cast<float>(bits << 16);
  case ElementType::f16:
  case ElementType::e4m3:
  case ElementType::e5m2:
  case ElementType::e2m1:
    break;
  }
  return decodeFloat(format(type), bits);
}

bool isInteger(ElementType type) { return target::isInteger(type); }

double largest(ElementType type) {
  switch (type) {
  case ElementType::s8:
    return 127;
  case ElementType::u8:
    return 255;
  case ElementType::s16:
    return std::numeric_limits<int16_t>::max();
  case ElementType::s32:
    return std::numeric_limits<int32_t>::max();
  case ElementType::s4:
    return 7;
  case ElementType::u4:
    return 15;
  case ElementType::bf16:
  case ElementType::f16:
  case ElementType::f32:
  case ElementType::tf32:
  case ElementType::e4m3:
  case ElementType::e5m2:
  case ElementType::e2m1:
  case ElementType::e8m0:
    break;
  }
  return format(type).largest;
}

double epsilon(ElementType type) {
  return isInteger(type) ? 0 : std::ldexp(1.0, -format(type).mantissaBits);
}

} // namespace ashlar::harness
