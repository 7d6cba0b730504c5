#include "tool/Elements.h"

#include "compiler/target/Elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ashlar::harness {

namespace {

/// A binary floating-point type: sign, exponent, mantissa.
struct Format {
  int exponentBits;
  int mantissaBits;
  double largest;
  /// Where the exponent of all ones holds numbers too (e4m3), only all ones in
  /// the mantissa as well is NaN, and there is no infinity.
  bool finite = false;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint32_t signBit() const { return 1u << (exponentBits + mantissaBits); }
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
    return {4, 3, 448, true};
  case ElementType::e5m2:
    return {5, 2, 57344};
  case ElementType::f32:
  case ElementType::s8:
  case ElementType::u8:
  case ElementType::s16:
  case ElementType::s32: // integers have none, and nobody asks
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
  if (format.finite ? (bits & format.nan()) == format.nan()
                    : exponent == ones && mantissa)
    return std::numeric_limits<double>::quiet_NaN();
  if (!format.finite && exponent == ones)
    return sign * std::numeric_limits<double>::infinity();
  const int smallest = 1 - format.bias() - format.mantissaBits;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, smallest);
  const uint32_t steps = mantissa | 1u << format.mantissaBits;
  return sign * std::ldexp(steps, smallest + static_cast<int>(exponent) - 1);
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

} // namespace

uint32_t encode(ElementType type, double value) {
  switch (type) {
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
  case ElementType::f32:
  case ElementType::tf32: // a kernel may store more bits than are read back
    return std::bit_cast<float>(bits);
  case ElementType::bf16:
    return std::bit_cast<float>(bits << 16);
  case ElementType::f16:
  case ElementType::e4m3:
  case ElementType::e5m2:
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
  case ElementType::bf16:
  case ElementType::f16:
  case ElementType::f32:
  case ElementType::tf32:
  case ElementType::e4m3:
  case ElementType::e5m2:
    break;
  }
  return format(type).largest;
}

double epsilon(ElementType type) {
  return isInteger(type) ? 0 : std::ldexp(1.0, -format(type).mantissaBits);
}

} // namespace ashlar::harness
