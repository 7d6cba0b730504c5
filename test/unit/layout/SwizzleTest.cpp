#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/Swizzle.h"

#include <set>

using namespace ashlar::layout;

TEST(Swizzle, XorsTheRowOntoTheChunkForTheHopperModes) {
  Swizzle swizzle{3, 4, 3};
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t chunk = 0; chunk < 8; ++chunk)
      EXPECT_EQ(swizzle(row * 128 + chunk * 16 + 5),
                row * 128 + (chunk ^ (row % 8)) * 16 + 5);
}

TEST(Swizzle, IsItsOwnInverse) {
  RandomLayouts random(60);
  for (int round = 0; round < 2000; ++round) {
    int shift = random.number(0, 5);
    Swizzle swizzle{static_cast<int>(random.number(0, shift)),
                    static_cast<int>(random.number(0, 5)), shift};
    int64_t offset = random.number(0, 1 << 20);
    EXPECT_EQ(swizzle(swizzle(offset)), offset) << swizzle;
    EXPECT_EQ(swizzle.apply(offset), swizzle(offset));
  }
}

TEST(Swizzle, WithoutBitsIsTheIdentity) {
  for (int64_t offset = 0; offset < 4096; ++offset)
    EXPECT_EQ(Swizzle{}(offset), offset);
}

TEST(Swizzle, ReadsWhatItWrites) {
  EXPECT_EQ((Swizzle{2, 4, 3}).str(), "S<2,4,3>");
  EXPECT_EQ(*Swizzle::parse("S<2,4,3>"), (Swizzle{2, 4, 3}));
}

TEST(Swizzle, RefusesTextThatIsNoSwizzle) {
  EXPECT_REFUSAL(Swizzle::parse("<2,4,3>"), "expected S<bits,base,shift>");
  EXPECT_REFUSAL(Swizzle::parse("S<2,4>"), "three numbers");
  EXPECT_REFUSAL(Swizzle::parse("S<4,4,3>"), "not its own inverse");
  EXPECT_REFUSAL(Swizzle::parse("S<3,4,4294967299>"), "beyond the 32");
}

TEST(SwizzledLayout, SwizzlesTheOffsetsOfItsLayout) {
  SwizzledLayout tile = *SwizzledLayout::parse("S<3,4,3> o (64,64):(128,2)");
  EXPECT_EQ(tile.str(), "S<3,4,3> o (64,64):(128,2)");
  EXPECT_EQ(*SwizzledLayout::parse(tile.str()), tile);
  EXPECT_EQ(tile.at({3, 8}), 3 * 128 + (1 ^ 3) * 16);
  EXPECT_EQ(tile(8 * 64 + 3), tile.at({3, 8}));
  EXPECT_EQ(tile(IntTuple{3, 8}), tile.at({3, 8}));
  EXPECT_EQ(tile.size(), 4096);
  EXPECT_EQ(tile.cosize(), 8192);
}

TEST(SwizzledLayout, StaysWithinItsCosizeAndInjective) {
  SwizzledLayout tile = *SwizzledLayout::parse("S<2,4,3> o (6,32):(64,2)");
  std::set<int64_t> seen;
  for (int64_t i = 0; i < tile.size(); ++i) {
    EXPECT_LT(tile(i), tile.cosize());
    EXPECT_TRUE(seen.insert(tile(i)).second);
  }
}

TEST(SwizzledLayout, RefusesTextWithoutASwizzle) {
  EXPECT_REFUSAL(SwizzledLayout::parse("(64,64):(128,2)"),
                 "expected S<...> o layout");
}
