// Inputs and PTX text that the cases of matrix instructions share.
#pragma once

#include "test/conformance/Case.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ashlar::conformance {

/// What elements are filled with.
enum class Values : uint8_t {
  small,    // small integers: sums are exact in every order
  normal,   // normally distributed
  special,  // NaN, infinities and zeros among ones
  denormal, // denormal numbers and zeros
  any,      // any bits (integers)
};

/// `count` packed elements of the type: "f16", "bf16", "tf32", "f32", "f64",
/// "e4m3", "e5m2", "s32", or, always Values::any, "s8", "u8", "s4", "u4", "b1".
std::vector<uint8_t> elements(std::mt19937 &random, const std::string &type,
                              size_t count, Values values);

/// Metadata of a sparse A, a word for each of `lanes` lanes: places of two
/// elements of each four, in ascending order; for tf32, of one of each two.
std::vector<uint8_t> sparseMetadata(std::mt19937 &random,
                                    const std::string &type, size_t lanes);

/// Bits of an element.
unsigned elementBits(const std::string &type);

/// Part of matrixCases().
std::vector<Case> wmmaCases();

/// "{%a0, %a1, %a2}".
std::string registerList(const std::string &prefix, unsigned count);

/// How results of the accumulator type compare: exactly for small integers,
/// else within `relative` of `magnitude`, the greatest sum of products.
Buffer resultBuffer(std::vector<uint8_t> bytes, const std::string &type,
                    Values values, double absolute);

} // namespace ashlar::conformance
