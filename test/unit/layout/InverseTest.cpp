#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/Algebra.h"

#include <map>

using namespace ashlar::layout;

namespace {

/// The linear coordinate of each offset of an injective layout.
std::map<int64_t, int64_t> coordinates(const Layout &layout) {
  std::map<int64_t, int64_t> result;
  for (int64_t c = 0; c < layout.size(); ++c)
    result.emplace(layout(c), c);
  return result;
}

} // namespace

TEST(RightInverse, IsFollowedByTheLayoutToTheIdentity) {
  RandomLayouts random(50);
  for (int round = 0; round < 5000; ++round) {
    Layout layout = random.any();
    Layout inverse = rightInverse(layout);
    for (int64_t i = 0; i < inverse.size(); ++i)
      ASSERT_EQ(layout(inverse(i)), i) << layout << " and " << inverse;
  }
}

TEST(RightInverse, ReachesAsFarAsAnInjectiveLayoutIsContiguous) {
  RandomLayouts random(51);
  for (int round = 0; round < 5000; ++round) {
    Layout layout = random.injective(2);
    std::map<int64_t, int64_t> at = coordinates(layout);
    int64_t contiguous = 0;
    while (at.contains(contiguous))
      ++contiguous;
    ASSERT_EQ(rightInverse(layout).size(), contiguous) << layout;
  }
}

TEST(RightInverse, IsTheInverseOfACompactLayout) {
  RandomLayouts random(52);
  for (int round = 0; round < 2000; ++round) {
    Layout layout = random.compact();
    ASSERT_EQ(rightInverse(layout).size(), layout.size()) << layout;
    ASSERT_EQ(offsets(rightInverse(layout)), offsets(*leftInverse(layout)));
  }
}

TEST(LeftInverse, FollowsAnInjectiveLayoutToTheIdentity) {
  RandomLayouts random(53);
  for (int round = 0; round < 5000; ++round) {
    Layout layout = random.injective(3);
    Layout inverse = *leftInverse(layout);
    for (int64_t c = 0; c < layout.size(); ++c)
      ASSERT_EQ(inverse(layout(c)), c) << layout << " and " << inverse;
  }
}

TEST(LeftInverse, AllowsGapsThatAreNoMultipleOfTheModeBelow) {
  Layout inverse = *leftInverse(*Layout::parse("(3,2):(1,4)"));
  EXPECT_EQ(inverse.str(), "(4,2):(1,3)");
}

TEST(LeftInverse, RefusesLayoutsThatHaveNone) {
  EXPECT_REFUSAL(leftInverse(*Layout::parse("(4,2):(1,0)")),
                 "2 coordinates have the same offset");
  EXPECT_REFUSAL(leftInverse(*Layout::parse("(4,2):(1,2)")),
                 "the stride 2 lies within the 4 offsets of the mode 4:1");
  EXPECT_REFUSAL(leftInverse(*Layout::parse("(2,2):(2,5)")),
                 "the stride 5 is not a multiple of the stride 2");
}

TEST(MaxCommonLayout, IsTheLongestCommonBeginningOfTheInverses) {
  RandomLayouts random(54);
  for (int round = 0; round < 10000; ++round) {
    Layout a = random.injective(2);
    Layout b =
        random.number(0, 1) ? random.nested(leafModes(a)) : random.injective(2);
    Layout common = maxCommonLayout(a, b);
    std::map<int64_t, int64_t> atA = coordinates(a);
    std::map<int64_t, int64_t> atB = coordinates(b);
    int64_t expected = 0;
    while (atA.contains(expected) && atB.contains(expected) &&
           atA[expected] == atB[expected])
      ++expected;
    ASSERT_EQ(maxCommonVector(a, b), expected) << a << " and " << b;
    for (int64_t i = 0; i < common.size(); ++i) {
      ASSERT_EQ(a(common(i)), i) << a << " and " << b;
      ASSERT_EQ(b(common(i)), i) << a << " and " << b;
    }
  }
}

TEST(MaxCommonLayout, EndsWhereTheExtentsDiffer) {
  Layout a = *Layout::parse("(2,4,2):(1,100,2)");
  Layout b = *Layout::parse("(4,2,2):(1,8,4)");
  EXPECT_EQ(maxCommonLayout(a, b).str(), "2:1");
}

TEST(MaxCommonVector, IsTheVectorOfACopy) {
  EXPECT_EQ(maxCommonVector(*Layout::parse("(8,16):(1,8)"),
                            *Layout::parse("(8,16):(1,32)")),
            8);
  EXPECT_EQ(maxCommonVector(*Layout::parse("(8,16):(16,1)"),
                            *Layout::parse("(8,16):(1,8)")),
            1);
  EXPECT_EQ(maxCommonVector(*Layout::parse("(8,16):(16,1)"),
                            *Layout::parse("(8,16):(16,1)")),
            128);
}
