#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/Algebra.h"

using namespace ashlar::layout;

TEST(Coalesce, MergesModesThatContinueEachOther) {
  EXPECT_EQ(coalesce(*Layout::parse("(2,(1,6)):(1,(6,2))")).str(), "12:1");
  EXPECT_EQ(coalesce(*Layout::parse("(2,2,3):(4,1,2)")).str(), "(2,6):(4,1)");
  EXPECT_EQ(coalesce(*Layout::parse("(1,1):(5,7)")).str(), "1:0");
}

TEST(Coalesce, KeepsTheFunctionInTheFewestFlatModes) {
  RandomLayouts random(10);
  for (int round = 0; round < 5000; ++round) {
    Layout layout = random.any();
    Layout merged = coalesce(layout);
    ASSERT_EQ(offsets(merged), offsets(layout)) << layout;
    ASSERT_LE(merged.shape().depth(), 1);
    std::vector<Mode> modes = leafModes(merged);
    for (size_t i = 0; i + 1 < modes.size(); ++i) {
      ASSERT_NE(modes[i].extent * modes[i].stride, modes[i + 1].stride);
      ASSERT_NE(modes[i].extent, 1);
    }
  }
}

TEST(Coalesce, ByModeKeepsTheRankAndEachMode) {
  RandomLayouts random(11);
  for (int round = 0; round < 2000; ++round) {
    Layout layout = random.any();
    Layout merged = coalesceByMode(layout);
    ASSERT_EQ(merged.rank(), layout.rank());
    for (int64_t i = 0; i < layout.rank(); ++i)
      ASSERT_EQ(merged.mode(i), coalesce(layout.mode(i))) << layout;
  }
}

TEST(FilterZeros, BroadcastsNothing) {
  EXPECT_EQ(filterZeros(*Layout::parse("(4,(2,8),3):(0,(1,0),2)")).str(),
            "(1,(2,1),3):(0,(1,0),2)");
}

TEST(FilterZeros, KeepsTheSetOfOffsets) {
  RandomLayouts random(12);
  for (int round = 0; round < 2000; ++round) {
    Layout layout = random.any();
    std::vector<int64_t> all = offsets(layout);
    std::vector<int64_t> filtered = offsets(filterZeros(layout));
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::ranges::sort(filtered);
    filtered.erase(std::unique(filtered.begin(), filtered.end()),
                   filtered.end());
    ASSERT_EQ(all, filtered) << layout;
  }
}
