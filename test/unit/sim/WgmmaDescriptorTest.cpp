#include "runtime/sim/machine/matrix/WgmmaDescriptor.h"

#include <gtest/gtest.h>

#include <set>

namespace ashlar::sim {
namespace {

uint64_t bits(uint64_t start, uint64_t leading, uint64_t stride,
              uint64_t swizzle, uint64_t baseOffset = 0) {
  return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 |
         baseOffset << 49 | swizzle << 62;
}

TEST(WgmmaDescriptor, FieldsAreRead) {
  const WgmmaDescriptor descriptor(bits(0x12340, 0x2000, 0x400, 2, 5));
  EXPECT_EQ(descriptor.start, 0x12340u);
  EXPECT_EQ(descriptor.leading, 0x2000u);
  EXPECT_EQ(descriptor.stride, 0x400u);
  EXPECT_EQ(descriptor.baseOffset, 5u);
  EXPECT_EQ(descriptor.swizzleBytes, 64u);
}

TEST(WgmmaDescriptor, KMajorWithoutSwizzleHasCoreMatrices) {
  const WgmmaDescriptor descriptor(bits(0x400, 2048, 128, 0));
  EXPECT_EQ(descriptor.chunk(true, 0, 0), 0x400u);
  EXPECT_EQ(descriptor.chunk(true, 7, 0), 0x400u + 7 * 16);
  EXPECT_EQ(descriptor.chunk(true, 8, 0), 0x400u + 128);
  EXPECT_EQ(descriptor.chunk(true, 8, 1), 0x400u + 128 + 2048);
}

TEST(WgmmaDescriptor, KMajorSwizzleExchangesChunksWithinARow) {
  const WgmmaDescriptor descriptor(bits(0x400, 16, 1024, 1));
  EXPECT_EQ(descriptor.chunk(true, 0, 1), 0x400u + 16);
  EXPECT_EQ(descriptor.chunk(true, 1, 0), 0x400u + 128 + 16);
  EXPECT_EQ(descriptor.chunk(true, 7, 0), 0x400u + 7 * 128 + 7 * 16);
  EXPECT_EQ(descriptor.chunk(true, 13, 1), 0x400u + 1024 + 5 * 128 + 4 * 16);
}

TEST(WgmmaDescriptor, SwizzleActsOnAddressesNotOnOffsets) {
  // A step along K of 32 bytes, and a start two rows into the pattern.
  const WgmmaDescriptor step(bits(0x400 + 32, 16, 1024, 1));
  EXPECT_EQ(step.chunk(true, 3, 0), 0x400u + 3 * 128 + (2 ^ 3) * 16);
  const WgmmaDescriptor rows(bits(0x400 + 256, 16, 1024, 1));
  EXPECT_EQ(rows.chunk(true, 1, 0), 0x400u + 3 * 128 + 3 * 16);
}

TEST(WgmmaDescriptor, BaseOffsetMovesWhereThePatternStarts) {
  const WgmmaDescriptor descriptor(bits(0x400 + 3 * 128, 16, 1024, 1, 3));
  for (uint32_t row = 0; row < 5; ++row)
    EXPECT_EQ(descriptor.chunk(true, row, 0),
              0x400u + (row + 3) * 128 + row * 16);
}

TEST(WgmmaDescriptor, MnMajorOffsetsChangePlacesWithoutSwizzle) {
  const WgmmaDescriptor swizzled(bits(0x400, 8192, 1024, 1));
  EXPECT_EQ(swizzled.chunk(false, 8, 0), 0x400u + 8192);
  EXPECT_EQ(swizzled.chunk(false, 0, 8), 0x400u + 1024);
  EXPECT_EQ(swizzled.chunk(false, 2, 3), 0x400u + 3 * 128 + (2 ^ 3) * 16);
  const WgmmaDescriptor plain(bits(0x400, 8192, 1024, 0));
  EXPECT_EQ(plain.chunk(false, 1, 0), 0x400u + 1024);
  EXPECT_EQ(plain.chunk(false, 0, 8), 0x400u + 8192);
}

TEST(WgmmaDescriptor, EachSwizzleIsAPermutation) {
  for (uint64_t swizzle = 0; swizzle < 4; ++swizzle)
    for (bool kMajor : {true, false}) {
      const uint32_t width =
          WgmmaDescriptor(bits(0, 0, 0, swizzle)).swizzleBytes;
      const uint32_t atom = 8 * width;
      // 64 rows, or 64 along M and 16 along K, without gaps.
      const WgmmaDescriptor descriptor(
          kMajor    ? bits(0x400, swizzle ? 16 : 1024, atom, swizzle)
          : swizzle ? bits(0x400, atom, 128 / width * atom, swizzle)
                    : bits(0x400, 1024, atom, swizzle));
      std::vector<uint32_t> chunks;
      descriptor.chunks(kMajor, 0, 64, kMajor ? 2 : 16, chunks);
      EXPECT_EQ(chunks.size(), 128u);
      EXPECT_EQ(std::set<uint32_t>(chunks.begin(), chunks.end()).size(), 128u);
    }
}

TEST(WgmmaDescriptor, ReservedBitsBreakARule) {
  EXPECT_EQ(brokenRule(bits(0x400, 16, 1024, 1, 3)), "");
  EXPECT_NE(brokenRule(uint64_t(1) << 14), "");
  EXPECT_NE(brokenRule(uint64_t(1) << 30), "");
  EXPECT_NE(brokenRule(uint64_t(1) << 46), "");
  EXPECT_NE(brokenRule(uint64_t(1) << 52), "");
  EXPECT_NE(brokenRule(bits(0x400, 16, 1024, 0, 3)), "");
}

} // namespace
} // namespace ashlar::sim
