#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/Algebra.h"

using namespace ashlar::layout;

TEST(LogicalDivide, GivesTheLayoutsOfTheCuTeManual) {
  EXPECT_EQ(
      logicalDivide(*Layout::parse("(4,2,3):(2,1,8)"), Layout(4, 2))->str(),
      "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(*logicalDivide(*Layout::parse("(9,(4,8)):(59,(13,1))"),
                           {Layout(3, 3), *Layout::parse("(2,4):(1,8)")}),
            *Layout::parse("((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"));
}

TEST(LogicalDivide, HasTheTilerInModeZeroAndEveryOffsetOnce) {
  RandomLayouts random(30);
  int divided = 0;
  for (int round = 0; round < 20000; ++round) {
    Layout layout = random.compact();
    Layout tiler = random.injective(2);
    if (tiler.cosize() > layout.size() || layout.size() % tiler.size() != 0)
      continue;
    Result<Layout> division = logicalDivide(layout, tiler);
    if (!division || division->size() != layout.size())
      continue;
    Layout result = *division;
    ++divided;
    for (int64_t i = 0; i < tiler.size(); ++i)
      ASSERT_EQ(result.at({i, 0}), layout(tiler(i)))
          << layout << " / " << tiler;
    std::vector<int64_t> all = offsets(result);
    std::ranges::sort(all);
    for (int64_t i = 0; i < layout.size(); ++i)
      ASSERT_EQ(all[i], i) << layout << " / " << tiler << " = " << result;
  }
  EXPECT_GT(divided, 2000);
}

TEST(LogicalDivide, ByModeDividesEachModeAndKeepsTheOthers) {
  Layout layout = *Layout::parse("(8,12,5):(60,5,1)");
  Layout result = *logicalDivide(layout, {Layout(4, 1), Layout(3, 1)});
  EXPECT_EQ(result.str(), "((4,2),(3,4),5):((60,240),(5,15),1)");
}

TEST(ZippedDivide, CollectsTilesAndRests) {
  Layout layout = *Layout::parse("(8,12,5):(60,5,1)");
  EXPECT_EQ(zippedDivide(layout, {Layout(4, 1), Layout(3, 1)})->str(),
            "((4,3),(2,4,5)):((60,5),(240,15,1))");
  EXPECT_EQ(*zippedDivide(layout, Layout(4, 1)),
            *logicalDivide(layout, Layout(4, 1)));
}

TEST(ZippedDivide, MovesOffsetsOfTheSameTileIntoModeZero) {
  RandomLayouts random(31);
  for (int round = 0; round < 500; ++round) {
    int64_t tileRows = random.pick({1, 2, 3, 4});
    int64_t tileColumns = random.pick({1, 2, 4, 8});
    int64_t gridRows = random.number(1, 4);
    int64_t gridColumns = random.number(1, 4);
    Layout layout({tileRows * gridRows, tileColumns * gridColumns},
                  {random.number(1, 50), random.number(1, 50)});
    Layout zipped =
        *zippedDivide(layout, {Layout(tileRows, 1), Layout(tileColumns, 1)});
    for (int64_t r = 0; r < tileRows * gridRows; ++r)
      for (int64_t c = 0; c < tileColumns * gridColumns; ++c)
        ASSERT_EQ(zipped(IntTuple{{r % tileRows, c % tileColumns},
                                  {r / tileRows, c / tileColumns}}),
                  layout.at({r, c}));
  }
}

TEST(TiledDivide, MakesEachRestAModeOfItsOwn) {
  Layout layout = *Layout::parse("(8,12,5):(60,5,1)");
  EXPECT_EQ(tiledDivide(layout, {Layout(4, 1), Layout(3, 1)})->str(),
            "((4,3),2,4,5):((60,5),240,15,1)");
  EXPECT_EQ(tiledDivide(*Layout::parse("(4,2,3):(2,1,8)"), Layout(4, 2))->str(),
            "((2,2),2,3):((4,1),2,8)");
}

TEST(Divide, RefusesTilersThatDoNotFit) {
  EXPECT_REFUSAL(logicalDivide(*Layout::parse("(6,4):(1,10)"), Layout(4, 1)),
                 "does not divide the extent 6");
  EXPECT_REFUSAL(logicalDivide(Layout(8, 1), {Layout(2, 1), Layout(2, 1)}),
                 "1 modes, fewer than the 2 tilers");
  EXPECT_REFUSAL(zippedDivide(Layout(8, 1), *Layout::parse("(4,2):(1,2)")),
                 "overlaps");
}
