// Floating-point formats that the host has no type for: f16, bf16, tf32, e4m3,
// e5m2 (PTX ISA, "Alternate Floating-Point Data Formats"). A value is its bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ashlar::sim {

enum class Rounding : uint8_t {
  nearestEven, // .rn
  towardZero,  // .rz
  down,        // .rm
  up,          // .rp
  nearestAway, // .rna: ties away from zero
};

/// The NaNs that arithmetic gives.
inline constexpr uint32_t canonicalNan32 = 0x7fffffff;
inline constexpr uint16_t canonicalNan16 = 0x7fff; // f16 and bf16
inline constexpr uint8_t canonicalNan8 = 0x7f;     // e4m3 and e5m2

/// A binary format: sign, exponent, mantissa.
struct FloatFormat {
  unsigned exponentBits = 0, mantissaBits = 0;
  /// The greatest exponent holds numbers too, and no infinity: e4m3, whose
  /// only NaN has all bits set.
  bool onlyNan = false;
  uint32_t nan = 0;

  constexpr unsigned bits() const { return 1 + exponentBits + mantissaBits; }
  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr uint32_t sign() const { return 1u << (bits() - 1); }
  constexpr uint32_t infinity() const { // onlyNan: none
    return ((1u << exponentBits) - 1) << mantissaBits;
  }
  constexpr uint32_t largest() const {
    return onlyNan ? sign() - 2 : infinity() - 1;
  }
};

inline constexpr FloatFormat f16Format{5, 10, false, canonicalNan16};
inline constexpr FloatFormat bf16Format{8, 7, false, canonicalNan16};
inline constexpr FloatFormat e4m3Format{4, 3, true, canonicalNan8};
inline constexpr FloatFormat e5m2Format{5, 2, false, canonicalNan8};
inline constexpr FloatFormat f32Format{8, 23, false, canonicalNan32};
/// As the upper 19 bits of an f32; see toTf32.
inline constexpr FloatFormat tf32Format{8, 10, false, canonicalNan32 >> 13};

/// The bits of the value nearest to `value`, rounded once. What is beyond the
/// format becomes infinity or the largest number, as the rounding says; with
/// `saturate` (.satfinite), or where there is no infinity, the largest number
/// of its sign. A NaN becomes the format's own, without sign.
uint32_t encode(double value, const FloatFormat &format,
                Rounding rounding = Rounding::nearestEven,
                bool saturate = false);
/// The value of the bits: exact.
double decode(uint32_t bits, const FloatFormat &format);

/// One value to f32: exact. A NaN stays one, its payload moved up.
float f16ToFloat(uint16_t bits);
float e4m3ToFloat(uint8_t bits);
float e5m2ToFloat(uint8_t bits);
inline float bf16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
/// What a tensor core reads of an f32 register: the lower 13 bits don't count.
inline float tf32ToFloat(uint32_t bits) {
  return std::bit_cast<float>(bits & ~0x1fffu);
}

/// One f32 to the format, nearest even; .satfinite for the 8-bit ones, as cvt
/// always has it.
uint16_t floatToF16(float value);
uint16_t floatToBf16(float value);
uint8_t floatToE4m3(float value);
uint8_t floatToE5m2(float value);
/// One f32 to tf32, in the upper 19 bits, the others zero. The NaN is
/// canonicalNan32.
uint32_t floatToTf32(float value, Rounding rounding = Rounding::nearestAway,
                     bool saturate = false);

/// Many values; `in` and `out` don't overlap.
void f16ToFloat(const uint16_t *in, float *out, size_t count);
void bf16ToFloat(const uint16_t *in, float *out, size_t count);
void tf32ToFloat(const uint32_t *in, float *out, size_t count);
void e4m3ToFloat(const uint8_t *in, float *out, size_t count);
void e5m2ToFloat(const uint8_t *in, float *out, size_t count);
/// Nearest even, a NaN becomes canonicalNan16.
void floatToF16(const float *in, uint16_t *out, size_t count);
void floatToBf16(const float *in, uint16_t *out, size_t count);

/// a * b + c rounded once (not nearestAway), without fma's canonical NaN. `out`
/// may be one of the others.
void fusedMultiplyAdd(const float *a, const float *b, const float *c,
                      float *out, size_t count,
                      Rounding rounding = Rounding::nearestEven);

} // namespace ashlar::sim
