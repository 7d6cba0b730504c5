#include "runtime/ScalarBits.h"

#include "runtime/Text.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ashlar {

uint16_t bfloat16Bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 |
                                 0x40); // quiet, whatever is cut off
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint16_t halfBits(float value) {
  const uint16_t sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const float magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (magnitude >=
      65520.0f) // half way from the greatest number, 65504, to the next
    return sign | 0x7c00;
  // Below 2^-14 numbers are subnormal, all 2^-24 apart; above, 2^10 per binade.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int unit = magnitude == 0 ? -24 : std::max(exponent - 11, -24);
  const auto steps =
      static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  // 2^10 steps are the implicit bit, so rounding up into the next binade
  // carries into the exponent by itself.
  return static_cast<uint16_t>(
      sign | ((static_cast<uint32_t>(unit + 24) << 10) + steps));
}

uint32_t scalarBits(const std::string &kernel, const ScalarContract &contract,
                    const Argument &argument) {
  auto *wide = std::get_if<double>(&argument);
  if (auto *single = std::get_if<float>(&argument); single || wide) {
    const float value = single ? *single : static_cast<float>(*wide);
    if (contract.type == bf16)
      return bfloat16Bits(value);
    return contract.type == f16 ? halfBits(value)
                                : std::bit_cast<uint32_t>(value);
  }
  auto *narrow = std::get_if<int32_t>(&argument);
  const int64_t value = narrow ? *narrow : std::get<int64_t>(argument);
  if (value != static_cast<int32_t>(value))
    throw Error(contract.where,
                concat("kernel '", kernel, "': scalar '", contract.name,
                       "' is ", value,
                       "; an s32 holds -2^31 to 2^31-1: pass a smaller one"));
  return static_cast<uint32_t>(static_cast<int32_t>(value));
}

} // namespace ashlar
