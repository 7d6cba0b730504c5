#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/Algebra.h"

#include <set>

using namespace ashlar::layout;

TEST(LogicalProduct, GivesTheLayoutOfTheCuTeManual) {
  EXPECT_EQ(logicalProduct(*Layout::parse("(2,2):(4,1)"), Layout(6, 1))->str(),
            "((2,2),(2,3)):((4,1),(2,8))");
}

TEST(LogicalProduct, RepeatsTheBlockWithoutOverlapInTheOrderOfTheTiler) {
  RandomLayouts random(40);
  int multiplied = 0;
  for (int round = 0; round < 1500; ++round) {
    Layout block = random.injective(2);
    if (block.size() > 64)
      continue;
    Layout tiler = random.injective(2);
    Result<Layout> multiplication = logicalProduct(block, tiler);
    if (!multiplication)
      continue;
    Layout product = *multiplication;
    ++multiplied;
    ASSERT_EQ(product.mode(0), block);
    Layout copies = *complement(block, block.size() * tiler.cosize());
    for (int64_t i = 0; i < tiler.size(); ++i)
      ASSERT_EQ(product.at({0, i}), copies(tiler(i)))
          << block << " x " << tiler;
    std::vector<int64_t> all = offsets(product);
    ASSERT_EQ(std::set<int64_t>(all.begin(), all.end()).size(), all.size())
        << block << " x " << tiler << " = " << product;
  }
  EXPECT_GT(multiplied, 900);
}

TEST(BlockedProduct, PlacesWholeBlocksSideBySide) {
  EXPECT_EQ(blockedProduct(*Layout::parse("(2,5):(5,1)"),
                           *Layout::parse("(3,4):(1,3)"))
                ->str(),
            "((2,3),(5,4)):((5,10),(1,30))");
}

TEST(RakedProduct, InterleavesTheBlocks) {
  EXPECT_EQ(
      rakedProduct(*Layout::parse("(2,5):(5,1)"), *Layout::parse("(3,4):(1,3)"))
          ->str(),
      "((3,2),(4,5)):((10,5),(30,1))");
}

TEST(MatrixProducts, AreTheLogicalProductModeByMode) {
  RandomLayouts random(41);
  for (int round = 0; round < 1000; ++round) {
    auto matrix = [&] {
      return Layout(IntTuple{random.number(1, 4), random.number(1, 4)});
    };
    Layout block = matrix();
    Layout tiler = matrix();
    Layout product = *logicalProduct(block, tiler);
    Layout blocked = *blockedProduct(block, tiler);
    Layout raked = *rakedProduct(block, tiler);
    for (int64_t i = 0; i < block.size(); ++i)
      for (int64_t j = 0; j < tiler.size(); ++j) {
        int64_t rows = block.mode(0).size();
        int64_t tilerRows = tiler.mode(0).size();
        IntTuple blockFirst{{i % rows, j % tilerRows},
                            {i / rows, j / tilerRows}};
        IntTuple tilerFirst{{j % tilerRows, i % rows},
                            {j / tilerRows, i / rows}};
        ASSERT_EQ(blocked(blockFirst), product.at({i, j}));
        ASSERT_EQ(raked(tilerFirst), product.at({i, j}));
      }
  }
}

TEST(MatrixProducts, PadTheSmallerRank) {
  EXPECT_EQ(blockedProduct(Layout(4, 1), *Layout::parse("(2,3):(1,2)"))->str(),
            "((4,2),(1,3)):((1,4),(0,8))");
}

TEST(ZippedProduct, CollectsBlocksAndRepeats) {
  Layout block = *Layout::parse("(2,5,7):(1,1,1)");
  EXPECT_EQ(zippedProduct(block, {Layout(3, 1), Layout(4, 1)})->str(),
            "((2,5,7),(3,4)):((1,1,1),(2,5))");
  EXPECT_EQ(*zippedProduct(Layout(4, 1), Layout(3, 1)),
            *logicalProduct(Layout(4, 1), Layout(3, 1)));
}

TEST(LogicalProduct, RefusesBlocksThatOverlap) {
  EXPECT_REFUSAL(logicalProduct(*Layout::parse("(4,2):(1,2)"), Layout(2, 1)),
                 "overlaps the 4 offsets");
  EXPECT_REFUSAL(logicalProduct(Layout(4, 1), {Layout(2, 1), Layout(2, 1)}),
                 "1 modes, fewer than the 2 tilers");
}
