// min and max of floating-point values as bits, in any format.
#pragma once

#include "runtime/sim/instructions/floating/Float.h"

namespace ashlar::sim {

/// Modifiers of min and max.
struct MinMaxModes {
  bool flush = false, nan = false, xorSign = false;
};
MinMaxModes takeMinMaxModes(Decoder &decoder);

/// The lesser or greater of two values; -0 is less than +0. A NaN gives way to
/// the other value, or, with `nan`, wins. `xorSign`: of the magnitudes, with
/// the product's sign.
template <class T, T infinity, T canonicalNan, bool isMax, bool nan,
          bool xorSign>
T chosen(T a, T b) {
  constexpr T sign = static_cast<T>(T(1) << (8 * sizeof(T) - 1));
  constexpr T magnitude = static_cast<T>(~sign);
  T signOfProduct = static_cast<T>((a ^ b) & sign);
  if (xorSign) {
    a &= magnitude;
    b &= magnitude;
  }
  bool aIsNan = (a & magnitude) > infinity, bIsNan = (b & magnitude) > infinity;
  // Ordered as unsigned integers.
  T aKey = static_cast<T>(a & sign ? ~a : a | sign);
  T bKey = static_cast<T>(b & sign ? ~b : b | sign);
  T result = (isMax ? aKey > bKey : aKey < bKey) ? a : b;
  result = aIsNan ? b : bIsNan ? a : result;
  if (xorSign)
    result |= signOfProduct;
  bool isNan = nan ? aIsNan | bIsNan : aIsNan & bIsNan;
  return isNan ? canonicalNan : result;
}

} // namespace ashlar::sim
