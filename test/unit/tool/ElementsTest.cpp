#include "tool/Elements.h"

#include "runtime/ScalarBits.h"

#include <array>
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

TEST(Elements, OfFourBitsAreTheirOwnEncoding) {
  for (ElementType type : {s4, u4, e2m1})
    for (uint32_t bits = 0; bits < 16; ++bits)
      EXPECT_EQ(encode(type, decode(type, bits)), bits)
          << name(type) << " " << decode(type, bits);
  for (uint32_t bits = 0; bits < 255; ++bits)
    EXPECT_EQ(encode(e8m0, decode(e8m0, bits)), bits);
}

TEST(Elements, OfFourBitsHaveTheValuesOfTheirSpecifications) {
  EXPECT_EQ(decode(s4, 0x7), 7);
  EXPECT_EQ(decode(s4, 0x8), -8);
  EXPECT_EQ(decode(u4, 0x8), 8);
  const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint32_t bits = 0; bits < 8; ++bits) {
    EXPECT_EQ(decode(e2m1, bits), values[bits]);
    EXPECT_EQ(decode(e2m1, bits | 8), -values[bits]);
  }
  EXPECT_EQ(decode(e8m0, 0), 0x1p-127);
  EXPECT_EQ(decode(e8m0, 127), 1);
  EXPECT_EQ(decode(e8m0, 254), 0x1p127);
  EXPECT_TRUE(std::isnan(decode(e8m0, 255)));
}

TEST(Elements, OfFourBitsAreRoundedAndSaturate) {
  EXPECT_EQ(decode(s4, encode(s4, -100)), -8);
  EXPECT_EQ(decode(s4, encode(s4, 7.6)), 7);
  EXPECT_EQ(decode(u4, encode(u4, -1)), 0);
  EXPECT_EQ(decode(u4, encode(u4, 99)), 15);
  EXPECT_EQ(decode(e2m1, encode(e2m1, 5)), 4); // half way: to even
  EXPECT_EQ(decode(e2m1, encode(e2m1, 3.5)), 4);
  EXPECT_EQ(decode(e2m1, encode(e2m1, 0.25)), 0);
  EXPECT_EQ(decode(e2m1, encode(e2m1, -1e9)), -6);
  EXPECT_EQ(decode(e8m0, encode(e8m0, 1.5)), 2); // stored as 128, not as 127
  EXPECT_EQ(decode(e8m0, encode(e8m0, 3)), 2);
  EXPECT_EQ(decode(e8m0, encode(e8m0, 3.01)), 4);
  EXPECT_EQ(decode(e8m0, encode(e8m0, 0)), 0x1p-127);
  EXPECT_EQ(decode(e8m0, encode(e8m0, -4)), 0x1p-127);
  EXPECT_EQ(decode(e8m0, encode(e8m0, INFINITY)), 0x1p127);
  EXPECT_TRUE(std::isnan(decode(e8m0, encode(e8m0, NAN))));
}

TEST(Elements, OfFourBitsShareBytesTheFirstInTheLowHalf) {
  std::array<std::byte, 3> bytes = {};
  for (uint32_t i = 0; i < 6; ++i)
    storeBits(u4, bytes.data(), i, i + 1);
  EXPECT_EQ(bytes[0], std::byte(0x21));
  EXPECT_EQ(bytes[2], std::byte(0x65));
  storeBits(u4, bytes.data(), 3, 0xf);
  EXPECT_EQ(bytes[1], std::byte(0xf3));
  EXPECT_EQ(loadBits(u4, bytes.data(), 2), 0x3u);
  EXPECT_EQ(loadBits(u4, bytes.data(), 3), 0xfu);
  EXPECT_EQ(bytesOf(u4, 6), 3);
  EXPECT_EQ(bytesOf(u4, 5), 3);
  EXPECT_EQ(bytesOf(e8m0, 5), 5);
}

TEST(Elements, OfWhichAllOnesIsAValue) {
  for (ElementType type : {s8, u8, s16, s32, s4, u4, e2m1})
    EXPECT_TRUE(allOnesIsValue(type)) << name(type);
  for (ElementType type : {bf16, f16, f32, tf32, e4m3, e5m2, e8m0})
    EXPECT_FALSE(allOnesIsValue(type)) << name(type);
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
