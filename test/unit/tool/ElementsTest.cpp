#include "tool/Elements.h"

#include "runtime/ScalarBits.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ashlar;
using namespace ashlar::harness;

namespace {

/// Every value of an 8- or 16-bit type is its own encoding.
void expectRoundTrip(ElementType type) {
  const uint32_t count = 1u << 8 * size_bytes(type);
  for (uint32_t bits = 0; bits < count; ++bits) {
    const double value = decode(type, bits);
    if (std::isfinite(value)) {
      EXPECT_EQ(encode(type, value), bits) << name(type) << " " << value;
    }
  }
}

} // namespace

TEST(Elements, RoundTrip) {
  for (ElementType type : {bf16, f16, e4m3, e5m2, s8, u8, s16})
    expectRoundTrip(type);
}

TEST(Elements, Float8HasTheValuesOfItsSpecification) {
  EXPECT_EQ(decode(e4m3, 0x7e), 448);
  EXPECT_EQ(decode(e4m3, 0x08), 0x1p-6); // the smallest normal number
  EXPECT_EQ(decode(e4m3, 0x01), 0x1p-9); // the smallest subnormal one
  EXPECT_TRUE(std::isnan(decode(e4m3, 0x7f)));
  EXPECT_EQ(decode(e5m2, 0x7b), 57344);
  EXPECT_EQ(decode(e5m2, 0x01), 0x1p-16);
  EXPECT_TRUE(std::isinf(decode(e5m2, 0x7c)));
}

TEST(Elements, AllOnesIsNotANumberInEveryFloatingPointType) {
  for (ElementType type : {bf16, f16, f32, tf32, e4m3, e5m2})
    EXPECT_TRUE(std::isnan(decode(
        type,
        static_cast<uint32_t>((uint64_t(1) << 8 * size_bytes(type)) - 1))))
        << name(type);
}

TEST(Elements, RoundToNearestEven) {
  EXPECT_EQ(decode(e4m3, encode(e4m3, 1.0625)), 1.0); // half way: to even
  EXPECT_EQ(decode(e4m3, encode(e4m3, 1.1875)), 1.25);
  EXPECT_EQ(decode(e4m3, encode(e4m3, 1.07)), 1.125);
  EXPECT_EQ(decode(tf32, encode(tf32, 1 + 0x1p-11)), 1);
  EXPECT_EQ(decode(tf32, encode(tf32, 1 + 0x1.1p-11)), 1 + 0x1p-10);
  EXPECT_EQ(decode(s8, encode(s8, 2.5)), 2);
}

TEST(Elements, AgreeWithTheRoundingOfScalars) {
  std::mt19937 random(1);
  std::uniform_int_distribution<uint32_t> uniform;
  for (int i = 0; i < 100000; ++i) {
    const uint32_t bits = uniform(random);
    const double value = decode(f32, bits);
    if (std::isfinite(value) && std::fabs(value) < 65504) {
      EXPECT_EQ(encode(bf16, value), bfloat16Bits(static_cast<float>(value)));
      EXPECT_EQ(encode(f16, value), halfBits(static_cast<float>(value)));
      EXPECT_EQ(encode(f32, value), bits);
    }
  }
}

TEST(Elements, SaturateBeyondTheirRange) {
  EXPECT_EQ(decode(e4m3, encode(e4m3, 1e6)), 448);
  EXPECT_EQ(decode(e5m2, encode(e5m2, -INFINITY)), -57344);
  EXPECT_EQ(decode(s8, encode(s8, 300)), 127);
  EXPECT_EQ(decode(s8, encode(s8, -300)), -128);
  EXPECT_EQ(decode(u8, encode(u8, -1)), 0);
  EXPECT_EQ(decode(s32, encode(s32, 1e12)), 2147483647);
}
