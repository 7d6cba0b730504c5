#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/SharedTile.h"
#include "compiler/layout/Wgmma.h"

using namespace ashlar::layout;

namespace {

/// Where the tensor core looks for element (i, j) of an operand, in bytes
/// before the swizzle, straight from the strides of the PTX ISA.
int64_t addressRead(const WgmmaOperand &operand, int64_t elementBytes,
                    int64_t i, int64_t j) {
  int64_t width = (16 << operand.swizzleBits) / elementBytes;
  int64_t rowBytes = width * elementBytes;
  bool swizzled = operand.swizzleBits > 0;
  if (operand.major == Major::K) {
    int64_t vector = 16 / elementBytes;
    int64_t inRow = width / vector; // chunks of 16 bytes
    return i % 8 * rowBytes + i / 8 * operand.strideBytes +
           j % vector * elementBytes + j / vector % inRow * 16 +
           j / vector / inRow * operand.leadingBytes;
  }
  int64_t blockBytes = swizzled ? operand.leadingBytes : operand.strideBytes;
  int64_t groupBytes = swizzled ? operand.strideBytes : operand.leadingBytes;
  return i % width * elementBytes + i / width * blockBytes + j % 8 * rowBytes +
         j / 8 * groupBytes;
}

/// Expects that the operand reads every element of every instruction tile in
/// `tile` where the layout has it.
void expectRead(const SwizzledLayout &tile, int contiguousMode,
                int64_t elementBytes, int64_t mn, int64_t depthBytes = 32) {
  int64_t k = depthBytes / elementBytes;
  WgmmaOperand operand =
      *wgmmaOperand(tile, contiguousMode, elementBytes, mn, k);
  EXPECT_EQ(operand.major, contiguousMode == 1 ? Major::K : Major::MN);
  for (int64_t m0 = 0; m0 < tile.layout.mode(0).size(); m0 += mn)
    for (int64_t k0 = 0; k0 < tile.layout.mode(1).size(); k0 += k) {
      int64_t start = tile.layout.at({m0, k0});
      for (int64_t i = 0; i < mn; ++i)
        for (int64_t j = 0; j < k; ++j)
          ASSERT_EQ(
              tile.at({m0 + i, k0 + j}),
              tile.swizzle(start + addressRead(operand, elementBytes, i, j)))
              << tile << " at " << m0 + i << "," << k0 + j;
    }
}

SwizzledLayout columnTile(int64_t mn, int64_t k) {
  return transposed(*sharedTileLayout({k, mn}, 2));
}

} // namespace

TEST(WgmmaOperand, ReadsKMajorTilesOfEveryWidthAndElement) {
  for (int64_t elementBytes : {1, 2, 4})
    for (int64_t kBytes : {32, 64, 96, 128, 192, 256})
      for (int64_t rows : {64, 128, 192})
        expectRead(
            *sharedTileLayout({rows, kBytes / elementBytes}, elementBytes), 1,
            elementBytes, 64);
}

TEST(WgmmaOperand, ReadsTilesTwiceAsDeepForASparseA) {
  for (int64_t elementBytes : {1, 2, 4})
    for (int64_t kBytes : {64, 128, 192, 256})
      expectRead(*sharedTileLayout({96, kBytes / elementBytes}, elementBytes),
                 1, elementBytes, 96, 64);
  for (const char *layout : {"S<0,4,3> o (64,(8,8)):(16,(2,1024))",
                             "S<1,4,3> o (64,(16,4)):(32,(2,2048))"})
    expectRead(*SwizzledLayout::parse(layout), 1, 2, 64, 64);
  expectRead(columnTile(128, 64), 0, 2, 64, 64);
}

TEST(WgmmaOperand, ReadsKMajorTilesOfEveryN) {
  for (int64_t n = 8; n <= 256; n += 8)
    expectRead(*sharedTileLayout({n, 64}, 2), 1, 2, n);
}

TEST(WgmmaOperand, ReadsMNMajorTilesOfEveryN) {
  for (int64_t n = 8; n <= 256; n += 8)
    for (int64_t k : {16, 64})
      expectRead(columnTile(n, k), 0, 2, n);
}

TEST(WgmmaOperand, ReadsMNMajorTilesByParts) {
  expectRead(columnTile(256, 64), 0, 2, 128);
  expectRead(columnTile(128, 64), 0, 2, 64);
  expectRead(columnTile(96, 32), 0, 2, 32);
}

TEST(WgmmaOperand, ReadsUnswizzledTilesOfCoreMatrices) {
  SwizzledLayout kMajor =
      *SwizzledLayout::parse("S<0,4,3> o (64,(8,4)):(16,(2,1024))");
  expectRead(kMajor, 1, 2, 64);
  EXPECT_EQ(*wgmmaOperand(kMajor, 1, 2, 64, 16),
            (WgmmaOperand{Major::K, 1024, 128, 0}));
  SwizzledLayout mnMajor =
      *SwizzledLayout::parse("S<0,4,3> o ((8,8),32):((2,512),16)");
  expectRead(mnMajor, 0, 2, 64);
  EXPECT_EQ(*wgmmaOperand(mnMajor, 0, 2, 64, 16),
            (WgmmaOperand{Major::MN, 128, 512, 0}));
}

TEST(WgmmaOperand, HasTheOffsetsOfTheLayout) {
  EXPECT_EQ(*wgmmaOperand(*sharedTileLayout({128, 64}, 2), 1, 2, 64, 16),
            (WgmmaOperand{Major::K, 16, 1024, 3}));
  EXPECT_EQ(*wgmmaOperand(*sharedTileLayout({64, 32}, 2), 1, 2, 64, 16),
            (WgmmaOperand{Major::K, 16, 512, 2}));
  EXPECT_EQ(*wgmmaOperand(*sharedTileLayout({64, 16}, 2), 1, 2, 64, 16),
            (WgmmaOperand{Major::K, 16, 256, 1}));
  EXPECT_EQ(*wgmmaOperand(columnTile(256, 64), 0, 2, 256, 16),
            (WgmmaOperand{Major::MN, 8192, 1024, 3}));
  EXPECT_EQ(*wgmmaOperand(columnTile(96, 64), 0, 2, 96, 16),
            (WgmmaOperand{Major::MN, 4096, 512, 2}));
}

TEST(WgmmaOperand, SetsFieldsThatDoNotMatterTo16Bytes) {
  EXPECT_EQ(*wgmmaOperand(*sharedTileLayout({8, 64}, 2), 1, 2, 8, 16),
            (WgmmaOperand{Major::K, 16, 16, 3}));
  EXPECT_EQ(*wgmmaOperand(columnTile(64, 64), 0, 2, 64, 16),
            (WgmmaOperand{Major::MN, 16, 1024, 3}));
}

TEST(WgmmaOperand, RefusesTilesThatAreNotCanonical) {
  auto operand = [](const char *tile, int contiguousMode) {
    return wgmmaOperand(*SwizzledLayout::parse(tile), contiguousMode, 2, 64,
                        16);
  };
  EXPECT_REFUSAL(operand("S<3,4,3> o (64,64):(256,2)", 1),
                 "its MN coordinate 1 lies at byte 256");
  EXPECT_REFUSAL(operand("S<2,4,3> o (64,64):(128,2)", 1),
                 "its MN coordinate 1 lies at byte 128");
  EXPECT_REFUSAL(operand("S<3,4,3> o (64,(8,8)):(128,(2,32))", 1),
                 "its K coordinate 8 lies at byte 32");
  EXPECT_REFUSAL(operand("S<3,4,3> o ((8,2,4),64):((128,1024,4096),2)", 1),
                 "its MN coordinate 16 lies at byte 4096");
  EXPECT_REFUSAL(operand("S<3,4,3> o (64,64):(2,256)", 0),
                 "its K coordinate 1 lies at byte 256");
  EXPECT_REFUSAL(operand("S<3,5,3> o (64,64):(128,2)", 1),
                 "cannot read the swizzle S<3,5,3>");
}

TEST(WgmmaOperand, RefusesWhatTheInstructionCannotDo) {
  SwizzledLayout tile = *sharedTileLayout({128, 64}, 2);
  EXPECT_REFUSAL(wgmmaOperand(tile, 0, 2, 64, 16),
                 "the MN mode of the tile (128,64) is not "
                 "contiguous: its stride is 128 bytes");
  EXPECT_REFUSAL(wgmmaOperand(tile, 2, 2, 64, 16), "not 2");
  EXPECT_REFUSAL(wgmmaOperand(tile, 1, 2, 64, 48), "16 elements of 2 bytes");
  EXPECT_REFUSAL(wgmmaOperand(tile, 1, 2, 60, 16), "multiples of 8, not 60");
  EXPECT_REFUSAL(wgmmaOperand(tile, 1, 2, 256, 16), "smaller than the 256x16");
  EXPECT_REFUSAL(wgmmaOperand(tile, 1, 8, 64, 4), "no elements of 8 bytes");
  EXPECT_REFUSAL(
      wgmmaOperand(transposed(*sharedTileLayout({64, 128}, 1)), 0, 1, 64, 32),
      "only for elements of 2 bytes, not 1");
  EXPECT_REFUSAL(wgmmaOperand(columnTile(64, 64), 0, 2, 32, 16),
                 "whose swizzle is 64 elements wide");
  EXPECT_REFUSAL(wgmmaOperand(*sharedTileLayout({8, 8, 64}, 2), 1, 2, 8, 16),
                 "has 3");
}

TEST(StepBytes, IsTheDistanceBetweenInstructions) {
  SwizzledLayout tile = *sharedTileLayout({128, 64}, 2);
  EXPECT_EQ(*stepBytes(tile, 1, 16), 32);
  EXPECT_EQ(*stepBytes(tile, 0, 64), 8192);
  EXPECT_EQ(*stepBytes(columnTile(256, 64), 1, 16), 2048);
  EXPECT_EQ(*stepBytes(columnTile(256, 64), 0, 64), 8192);
  EXPECT_EQ(*stepBytes(*sharedTileLayout({64, 128}, 2), 1, 64), 8192);
}

TEST(StepBytes, IsZeroWhereThereIsNothingToStepTo) {
  EXPECT_EQ(*stepBytes(*sharedTileLayout({64, 16}, 2), 1, 16), 0);
}

TEST(StepBytes, RefusesStepsThatAreNotEqualOrNotWhole) {
  EXPECT_REFUSAL(stepBytes(*sharedTileLayout({64, 128}, 2), 1, 16),
                 "the first is 32 bytes, but element 64 lies at 8192");
  EXPECT_REFUSAL(stepBytes(*sharedTileLayout({64, 64}, 2), 1, 4),
                 "is 8 bytes, not a multiple of 16");
  EXPECT_REFUSAL(stepBytes(*sharedTileLayout({64, 64}, 2), 1, 24),
                 "24 elements do not divide the 64");
}

TEST(DescriptorBits, PutsEachFieldInItsPlace) {
  uint64_t bits = *descriptorBits({Major::MN, 8192, 1024, 3});
  EXPECT_EQ(bits, uint64_t(512) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62);
  EXPECT_EQ(*descriptorBits({Major::K, 16, 16, 2}) >> 62, 2u);
  EXPECT_EQ(*descriptorBits({Major::K, 16, 16, 1}) >> 62, 3u);
  EXPECT_EQ(*descriptorBits({Major::K, 16, 16, 0}) >> 62, 0u);
}

TEST(DescriptorBits, RefusesOffsetsThatItCannotHold) {
  EXPECT_REFUSAL(descriptorBits({Major::K, 8, 16, 3}), "leading byte offset 8");
  EXPECT_REFUSAL(descriptorBits({Major::K, 16, 262144, 3}),
                 "stride byte offset 262144");
  EXPECT_REFUSAL(descriptorBits({Major::K, 16, 16, 4}), "not 4");
}

TEST(Transposed, SwapsTheModes) {
  SwizzledLayout tile = *sharedTileLayout({64, 128}, 2);
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t j = 0; j < 128; ++j)
      ASSERT_EQ(transposed(tile).at({j, i}), tile.at({i, j}));
}
