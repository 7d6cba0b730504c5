#include "test/unit/layout/RandomLayouts.h"

using namespace ashlar::layout;

TEST(Layout, IsCompactColumnMajorWithoutStrides) {
  EXPECT_EQ(Layout(IntTuple{4, {2, 8}}).str(), "(4,(2,8)):(1,(4,8))");
}

TEST(Layout, CanBeRowMajor) {
  EXPECT_EQ(Layout::rowMajor({4, {2, 8}}).str(), "(4,(2,8)):(16,(8,1))");
}

TEST(Layout, SumsCoordinateTimesStrideOverTheLeaves) {
  Layout layout = *Layout::parse("((8,16),64):((64,512),1)");
  EXPECT_EQ(layout(IntTuple{{3, 5}, 7}), 3 * 64 + 5 * 512 + 7);
  EXPECT_EQ(layout(IntTuple{43, 7}), 3 * 64 + 5 * 512 + 7);
  EXPECT_EQ(layout.at({43, 7}), 3 * 64 + 5 * 512 + 7);
  EXPECT_EQ(layout(7 * 128 + 43), 3 * 64 + 5 * 512 + 7);
}

TEST(Layout, AgreesAtEveryLevelOfCoordinates) {
  RandomLayouts random(1);
  for (int round = 0; round < 2000; ++round) {
    Layout layout = random.any();
    for (int64_t i = 0; i < layout.size(); ++i) {
      int64_t expected = 0, rest = i;
      for (Mode mode : leafModes(layout)) {
        expected += rest % mode.extent * mode.stride;
        rest /= mode.extent;
      }
      std::vector<int64_t> perMode;
      rest = i;
      for (const Layout &mode : layout.modes()) {
        perMode.push_back(rest % mode.size());
        rest /= mode.size();
      }
      ASSERT_EQ(layout(i), expected) << layout << " at " << i;
      ASSERT_EQ(layout.at(perMode), expected) << layout << " at " << i;
      ASSERT_EQ(layout(IntTuple::of(perMode)), expected) << layout;
    }
  }
}

TEST(Layout, ContinuesAlongTheLastLeafBeyondItsSize) {
  Layout layout = *Layout::parse("(4,2):(1,10)");
  EXPECT_EQ(layout(8), 20);
  EXPECT_EQ(layout(11), 23);
}

TEST(Layout, HasACosizeOneBeyondTheLargestOffset) {
  RandomLayouts random(2);
  for (int round = 0; round < 2000; ++round) {
    Layout layout = random.any();
    EXPECT_EQ(layout.cosize(), 1 + std::ranges::max(offsets(layout))) << layout;
  }
}

TEST(Layout, ReadsWhatItWritesAndIsTheConcatenationOfItsModes) {
  RandomLayouts random(3);
  for (int round = 0; round < 2000; ++round) {
    Layout layout = random.any();
    EXPECT_EQ(*Layout::parse(layout.str()), layout);
    EXPECT_EQ(concat(layout.modes()), layout);
  }
}

TEST(Layout, RefusesWhatIsNoLayout) {
  EXPECT_REFUSAL(Layout::make({4, 2}, {1, {2, 3}}),
                 "not trees of the same form");
  EXPECT_REFUSAL(Layout::make({4, 0}, {1, 4}), "an extent of 0");
  EXPECT_REFUSAL(Layout::make({4, 2}, {1, -4}), "contains -4");
  EXPECT_REFUSAL(Layout::parse("(4,2)"), "expected shape:stride");
  EXPECT_REFUSAL(Layout::parse("(65536,65536,65537):(1,0,0)"),
                 "more than 2^48");
  EXPECT_REFUSAL(Layout::parse("(4,4):(1,9223372036854775807)"),
                 "more than 2^48");
}
