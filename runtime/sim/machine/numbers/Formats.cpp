#include "runtime/sim/machine/numbers/Formats.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace ashlar::sim;

namespace {

/// What becomes of a finite number beyond the largest, or of an infinity.
uint32_t overflow(const FloatFormat &format, bool negative, bool wasInfinite,
                  Rounding rounding, bool saturate) {
  uint32_t sign = negative ? format.sign() : 0;
  bool towardZero = rounding == Rounding::towardZero ||
                    (rounding == Rounding::down && !negative) ||
                    (rounding == Rounding::up && negative);
  if (saturate || format.onlyNan || (towardZero && !wasInfinite))
    return sign | format.largest();
  return sign | format.infinity();
}

bool roundsUp(uint64_t kept, uint64_t rest, uint64_t half, bool negative,
              Rounding rounding) {
  switch (rounding) {
  case Rounding::nearestEven:
    return rest > half || (rest == half && (kept & 1));
  case Rounding::nearestAway:
    return rest >= half;
  case Rounding::towardZero:
    return false;
  case Rounding::down:
    return negative && rest;
  case Rounding::up:
    return !negative && rest;
  }
  return false;
}

using Table = std::array<float, 256>;

Table tableOf(const FloatFormat &format) {
  Table table;
  for (uint32_t bits = 0; bits < table.size(); ++bits)
    table[bits] = static_cast<float>(decode(bits, format));
  return table;
}

const Table &e4m3Table() {
  static const Table table = tableOf(e4m3Format);
  return table;
}

const Table &e5m2Table() {
  static const Table table = tableOf(e5m2Format);
  return table;
}

} // namespace

uint32_t ashlar::sim::encode(double value, const FloatFormat &format,
                             Rounding rounding, bool saturate) {
  if (std::isnan(value))
    return format.nan;
  uint64_t bits = std::bit_cast<uint64_t>(value);
  bool negative = bits >> 63;
  uint32_t sign = negative ? format.sign() : 0;
  if (std::isinf(value))
    return overflow(format, negative, true, rounding, saturate);
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (exponent == -1023) {
    if (!mantissa)
      return sign;
    exponent = -1022;
  } else {
    mantissa |= uint64_t(1) << 52;
  }
  // Below the smallest normal number the last place keeps its value.
  int scale = std::max(exponent, 1 - format.bias());
  unsigned shift = std::min(52 - format.mantissaBits + (scale - exponent), 63u);
  uint64_t kept = mantissa >> shift;
  uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
  kept += roundsUp(kept, rest, uint64_t(1) << (shift - 1), negative, rounding);
  // The hidden bit, where there is one, counts the exponent up, and so does a
  // carry out of the mantissa.
  uint64_t magnitude =
      (uint64_t(scale + format.bias() - 1) << format.mantissaBits) + kept;
  if (magnitude > format.largest())
    return overflow(format, negative, false, rounding, saturate);
  return sign | static_cast<uint32_t>(magnitude);
}

double ashlar::sim::decode(uint32_t bits, const FloatFormat &format) {
  uint32_t magnitude = bits & (format.sign() - 1);
  double sign = bits & format.sign() ? -1.0 : 1.0;
  if (magnitude > (format.onlyNan ? format.largest() : format.infinity()))
    return std::nan("");
  if (!format.onlyNan && magnitude == format.infinity())
    return sign * HUGE_VAL;
  uint32_t exponent = magnitude >> format.mantissaBits;
  uint32_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  if (exponent)
    mantissa |= 1u << format.mantissaBits;
  else
    exponent = 1;
  return sign *
         std::ldexp(mantissa, static_cast<int>(exponent) - format.bias() -
                                  static_cast<int>(format.mantissaBits));
}

float ashlar::sim::f16ToFloat(uint16_t bits) {
  // Moved into place the exponent is 112 too small, also of a subnormal.
  constexpr float scale = 0x1p112f;
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  uint32_t finite =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * scale);
  uint32_t special = magnitude >= 0x0f800000 ? 0x7f800000 : 0;
  return std::bit_cast<float>(finite | special | uint32_t(bits & 0x8000) << 16);
}

uint16_t ashlar::sim::floatToF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t magnitude = bits & 0x7fffffff;
  // A normal f16: round at bit 13, and move the exponent.
  uint32_t normal =
      (magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23)) >> 13;
  // A subnormal one: 0.5 has the last place 2^-24, as they have.
  uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) -
      0x3f000000;
  uint32_t half = magnitude < 0x38800000 ? subnormal : normal;
  half = magnitude >= 0x477ff000 ? 0x7c00 : half;
  half |= bits >> 16 & 0x8000;
  half = magnitude > 0x7f800000 ? canonicalNan16 : half;
  return static_cast<uint16_t>(half);
}

uint16_t ashlar::sim::floatToBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  bool isNan = (bits & 0x7fffffff) > 0x7f800000;
  return static_cast<uint16_t>(isNan ? canonicalNan16 : rounded);
}

float ashlar::sim::e4m3ToFloat(uint8_t bits) { return e4m3Table()[bits]; }
float ashlar::sim::e5m2ToFloat(uint8_t bits) { return e5m2Table()[bits]; }
uint8_t ashlar::sim::floatToE4m3(float value) {
  return static_cast<uint8_t>(
      encode(value, e4m3Format, Rounding::nearestEven, true));
}
uint8_t ashlar::sim::floatToE5m2(float value) {
  return static_cast<uint8_t>(
      encode(value, e5m2Format, Rounding::nearestEven, true));
}

uint32_t ashlar::sim::floatToTf32(float value, Rounding rounding,
                                  bool saturate) {
  return std::isnan(value)
             ? canonicalNan32
             : encode(value, tf32Format, rounding, saturate) << 13;
}

void ashlar::sim::f16ToFloat(const uint16_t *__restrict in,
                             float *__restrict out, size_t count) {
  for (size_t index = 0; index < count; ++index)
    out[index] = f16ToFloat(in[index]);
}

void ashlar::sim::bf16ToFloat(const uint16_t *__restrict in,
                              float *__restrict out, size_t count) {
  for (size_t index = 0; index < count; ++index)
    out[index] = bf16ToFloat(in[index]);
}

void ashlar::sim::tf32ToFloat(const uint32_t *__restrict in,
                              float *__restrict out, size_t count) {
  for (size_t index = 0; index < count; ++index)
    out[index] = tf32ToFloat(in[index]);
}

void ashlar::sim::e4m3ToFloat(const uint8_t *__restrict in,
                              float *__restrict out, size_t count) {
  const Table &table = e4m3Table();
  for (size_t index = 0; index < count; ++index)
    out[index] = table[in[index]];
}

void ashlar::sim::e5m2ToFloat(const uint8_t *__restrict in,
                              float *__restrict out, size_t count) {
  const Table &table = e5m2Table();
  for (size_t index = 0; index < count; ++index)
    out[index] = table[in[index]];
}

void ashlar::sim::floatToF16(const float *__restrict in,
                             uint16_t *__restrict out, size_t count) {
  for (size_t index = 0; index < count; ++index)
    out[index] = floatToF16(in[index]);
}

void ashlar::sim::floatToBf16(const float *__restrict in,
                              uint16_t *__restrict out, size_t count) {
  for (size_t index = 0; index < count; ++index)
    out[index] = floatToBf16(in[index]);
}
