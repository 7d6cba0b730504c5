#include "test/unit/layout/RandomLayouts.h"

using namespace ashlar::layout;

TEST(IntTuple, IsALeafOrASequence) {
  EXPECT_TRUE(IntTuple(4).isLeaf());
  EXPECT_FALSE(IntTuple{4}.isLeaf());
  IntTuple tuple{4, {2, 8}};
  EXPECT_EQ(tuple.size(), 2);
  EXPECT_EQ(tuple[0].value(), 4);
  EXPECT_EQ(tuple[1], (IntTuple{2, 8}));
  EXPECT_EQ(tuple.product(), 64);
  EXPECT_EQ(tuple.depth(), 2);
  EXPECT_EQ(tuple.flatten(), (std::vector<int64_t>{4, 2, 8}));
}

TEST(IntTuple, TreatsALeafAsASequenceOfItself) {
  IntTuple leaf(7);
  EXPECT_EQ(leaf.size(), 1);
  EXPECT_EQ(leaf[0], leaf);
  EXPECT_EQ(leaf.depth(), 0);
}

TEST(IntTuple, DistinguishesTheLeafFromTheSequenceOfOneLeaf) {
  EXPECT_NE(IntTuple(3), IntTuple{3});
  EXPECT_EQ(IntTuple{3}.str(), "(3)");
}

TEST(IntTuple, ReadsWhatItWrites) {
  for (const char *text : {"5", "(5)", "(4,(2,8))", "()", "((1,2),(3,(4,5)))"})
    EXPECT_EQ(IntTuple::parse(text)->str(), text);
  EXPECT_EQ(*IntTuple::parse(" ( 4 , ( 2,8 ) ) "), (IntTuple{4, {2, 8}}));
}

TEST(IntTuple, RefusesTextThatIsNoTuple) {
  EXPECT_REFUSAL(IntTuple::parse("(4,(2,8)"), "',' or ')'");
  EXPECT_REFUSAL(IntTuple::parse("(4,x)"), "after 3 characters");
  EXPECT_REFUSAL(IntTuple::parse("4)"), "expected the end");
  EXPECT_REFUSAL(IntTuple::parse(""), "an integer or '('");
  EXPECT_REFUSAL(IntTuple::parse("99999999999999999999"), "an integer or '('");
  EXPECT_REFUSAL(IntTuple::parse(std::string(10000, '(')), "levels deep");
}

TEST(IntTuple, IsCongruentToTreesOfTheSameForm) {
  EXPECT_TRUE(congruent(IntTuple{1, {2, 3}}, IntTuple{4, {5, 6}}));
  EXPECT_FALSE(congruent(IntTuple{1, {2, 3}}, IntTuple{{4, 5}, 6}));
  EXPECT_FALSE(congruent(IntTuple(1), IntTuple{1}));
}

TEST(IntTuple, IsCompatibleWithItsRefinements) {
  EXPECT_TRUE(compatible(IntTuple(24), IntTuple{4, 6}));
  EXPECT_TRUE(compatible(IntTuple{4, 6}, IntTuple{{2, 2}, 6}));
  EXPECT_FALSE(compatible(IntTuple{4, 6}, IntTuple(24)));
  EXPECT_FALSE(compatible(IntTuple(24), IntTuple(32)));
  EXPECT_FALSE(compatible(IntTuple{{2, 2}, 6}, IntTuple{4, 6}));
}
