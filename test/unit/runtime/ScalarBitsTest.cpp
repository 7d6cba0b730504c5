#include "runtime/ScalarBits.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace ashlar::test {
namespace {

// Independent of the code under test: decode every number of the format.
float halfValue(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float sign = bits & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                               : std::ldexp(static_cast<float>(1024 + fraction),
                                            exponent - 25));
}

TEST(HalfBits, OfEveryHalfAreItsOwn) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    float value = halfValue(static_cast<uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(halfValue(halfBits(value))));
    else
      ASSERT_EQ(halfBits(value), bits);
  }
}

TEST(HalfBits, BetweenTwoHalvesAreTheNearest) {
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = halfValue(bits);
    const float high = halfValue(static_cast<uint16_t>(bits + 1));
    const float middle = low + (high - low) / 2;
    ASSERT_EQ(halfBits(std::nextafter(middle, low)), bits);
    ASSERT_EQ(halfBits(std::nextafter(middle, high)), bits + 1);
    ASSERT_EQ(halfBits(middle), bits % 2 ? bits + 1 : bits);
  }
}

TEST(HalfBits, BeyondTheGreatestAreInfinite) {
  EXPECT_EQ(halfBits(65519.0f), 0x7bff);
  EXPECT_EQ(halfBits(65520.0f), 0x7c00);
  EXPECT_EQ(halfBits(-1e30f), 0xfc00);
}

TEST(Bfloat16Bits, AreRoundedToNearestEven) {
  EXPECT_EQ(bfloat16Bits(1.0f), 0x3f80);
  EXPECT_EQ(bfloat16Bits(std::bit_cast<float>(0x3f808000u)), 0x3f80);
  EXPECT_EQ(bfloat16Bits(std::bit_cast<float>(0x3f808001u)), 0x3f81);
  EXPECT_EQ(bfloat16Bits(std::bit_cast<float>(0x3f818000u)), 0x3f82);
  EXPECT_EQ(bfloat16Bits(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(bfloat16Bits(-INFINITY), 0xff80);
  EXPECT_EQ(bfloat16Bits(std::bit_cast<float>(0x7f800001u)) & 0x7fc0, 0x7fc0);
}

} // namespace
} // namespace ashlar::test
