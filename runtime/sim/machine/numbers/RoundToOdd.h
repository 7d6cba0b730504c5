// Rounding to odd: an inexact result keeps the digits before the cut and gets
// a last bit of one. Rounding it again to at least two bits fewer, in any
// direction, then gives what rounding the exact value once would (Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
#pragma once

#include <bit>
#include <cstdint>

namespace ashlar::sim {

/// a + b in f64. Both are such that neither the sum nor the error overflows:
/// values of f32 and their products.
inline double sumToOdd(double a, double b) {
  double sum = a + b;
  // What the sum lost, exactly (Knuth's TwoSum).
  double ofB = sum - a;
  double ofA = sum - ofB;
  double error = (a - ofA) + (b - ofB);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  bool inexact = (error < 0) | (error > 0); // false for a NaN
  bool tooLarge = inexact & ((sum < 0) == (error > 0));
  uint64_t odd = (bits - tooLarge) | 1;
  return std::bit_cast<double>(inexact ? odd : bits);
}

/// A double to f32.
inline float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  double back = nearest;
  double magnitude = value < 0 ? -value : value;
  double backMagnitude = back < 0 ? -back : back;
  uint32_t odd = (bits - (backMagnitude > magnitude)) | 1;
  bool inexact = (back < value) | (back > value); // false for a NaN
  return std::bit_cast<float>(inexact ? odd : bits);
}

} // namespace ashlar::sim
