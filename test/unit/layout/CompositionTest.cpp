#include "test/unit/layout/RandomLayouts.h"

#include "compiler/layout/Algebra.h"

#include <set>

using namespace ashlar::layout;

TEST(Composition, GivesTheLayoutsOfTheCuTeManual) {
  EXPECT_EQ(
      composition(*Layout::parse("(6,2):(8,2)"), *Layout::parse("(4,3):(3,1)"))
          ->str(),
      "((2,2),3):((24,2),8)");
  EXPECT_EQ(*composition(*Layout::parse("20:2"), *Layout::parse("(5,4):(4,1)")),
            *Layout::parse("(5,4):(8,2)"));
  EXPECT_EQ(composition(*Layout::parse("(10,2):(16,4)"),
                        *Layout::parse("(5,4):(1,5)"))
                ->str(),
            "(5,(2,2)):(16,(80,4))");
}

TEST(Composition, IsTheFirstFunctionOfTheSecond) {
  RandomLayouts random(20);
  int composed = 0;
  for (int round = 0; round < 20000; ++round) {
    Layout outer = random.any();
    Layout inner = random.any();
    Result<Layout> composition = ashlar::layout::composition(outer, inner);
    if (!composition)
      continue;
    Layout result = *composition;
    ++composed;
    Layout extended = coalesce(outer);
    ASSERT_TRUE(compatible(inner.shape(), result.shape()));
    for (int64_t c = 0; c < inner.size(); ++c) {
      int64_t between = inner(c);
      ASSERT_EQ(result(c), extended(between))
          << outer << " o " << inner << " = " << result << " at " << c;
      if (between < outer.size()) {
        ASSERT_EQ(result(c), outer(between));
      }
    }
  }
  EXPECT_GT(composed, 5000);
}

TEST(Composition, NeverRefusesWhenEveryStrideDividesAsItShould) {
  RandomLayouts random(21);
  for (int round = 0; round < 5000; ++round) {
    std::vector<Mode> outer, inner;
    int64_t stride = 1;
    for (int i = 0; i < 4; ++i)
      outer.push_back({random.pick({2, 4, 8}), random.number(0, 100)});
    for (int i = 0; i < 4; ++i) {
      inner.push_back({random.pick({1, 2, 4}), stride});
      stride *= inner.back().extent * random.pick({1, 2});
    }
    Layout a = random.nested(outer);
    Layout b = random.nested(inner);
    Layout result;
    ASSERT_TRUE(composition(a, b)) << a << " o " << b;
    result = *composition(a, b);
    Layout extended = coalesce(a);
    for (int64_t c = 0; c < b.size(); ++c)
      ASSERT_EQ(result(c), extended(b(c))) << a << " o " << b;
  }
}

TEST(Composition, ByModeComposesEachModeByItself) {
  Layout layout = *Layout::parse("(12,(4,8),3):(59,(13,1),7)");
  Layout result =
      *composition(layout, {*Layout::parse("3:4"), *Layout::parse("8:2")});
  EXPECT_EQ(result.mode(0), *composition(layout.mode(0), Layout(3, 4)));
  EXPECT_EQ(result.mode(1), *composition(layout.mode(1), Layout(8, 2)));
  EXPECT_EQ(result.mode(2), layout.mode(2));
}

TEST(Composition, RefusesWhatIsNoLayout) {
  EXPECT_REFUSAL(
      composition(*Layout::parse("(4,8):(1,5)"), *Layout::parse("4:3")),
      "the stride 3 does not divide the extent 4");
  EXPECT_REFUSAL(
      composition(*Layout::parse("(4,8):(1,5)"), *Layout::parse("6:1")),
      "6 elements are not a multiple of the 4 that fit in the extent 4");
  EXPECT_REFUSAL(
      composition(*Layout::parse("(4,2):(1,8)"), *Layout::parse("(2,2):(3,1)")),
      "together reach coordinate 4 of the mode 4:1 and carry into the next");
  EXPECT_REFUSAL(composition(Layout(4, 1), {Layout(2, 1), Layout(2, 1)}),
                 "1 modes, fewer than the 2");
}

TEST(Complement, GivesTheLayoutsOfTheCuTeManual) {
  auto text = [](const char *layout, int64_t bound) {
    return complement(*Layout::parse(layout), bound)->str();
  };
  EXPECT_EQ(text("4:1", 24), "6:4");
  EXPECT_EQ(text("6:4", 24), "4:1");
  EXPECT_EQ(text("(4,6):(1,4)", 24), "1:0");
  EXPECT_EQ(text("4:2", 24), "(2,3):(1,8)");
  EXPECT_EQ(text("(2,4):(1,6)", 24), "3:2");
  EXPECT_EQ(text("(2,2):(1,6)", 24), "(3,2):(2,12)");
}

TEST(Complement, IsOrderedDisjointAndCoversTheRest) {
  RandomLayouts random(22);
  for (int round = 0; round < 5000; ++round) {
    Layout layout = random.injective(3);
    if (layout.size() > 200)
      continue;
    int64_t bound = random.number(1, 2 * layout.cosize());
    Layout rest = *complement(layout, bound);
    for (int64_t i = 1; i < rest.size(); ++i)
      ASSERT_LT(rest(i - 1), rest(i)) << layout;
    std::set<int64_t> sums;
    for (int64_t i = 0; i < rest.size(); ++i)
      for (int64_t c = 0; c < layout.size(); ++c)
        sums.insert(rest(i) + layout(c));
    ASSERT_EQ(static_cast<int64_t>(sums.size()), rest.size() * layout.size())
        << layout << " and " << rest << " overlap";
    int64_t covered = 0;
    while (sums.contains(covered))
      ++covered;
    ASSERT_GE(covered, bound) << layout << " and " << rest;
    ASSERT_LT(rest.cosize(), bound + layout.cosize()) << "more than needed";
  }
}

TEST(Complement, DisregardsBroadcastModes) {
  EXPECT_EQ(complement(*Layout::parse("(4,8):(1,0)"), 24)->str(), "6:4");
}

TEST(Complement, RefusesLayoutsWhoseGapsAreNoLayout) {
  EXPECT_REFUSAL(complement(*Layout::parse("(4,2):(1,2)"), 16),
                 "the mode 2:2 overlaps the 4 offsets");
  EXPECT_REFUSAL(complement(*Layout::parse("(4,2):(1,6)"), 16),
                 "the stride 6 is not a multiple of the 4 offsets");
  EXPECT_REFUSAL(complement(Layout(4, 1), 0), "at least 1");
}
