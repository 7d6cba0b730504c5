// Fragments of pairs, against the elements that each thread holds.

#include "compiler/layout/Pairs.h"
#include "compiler/layout/WgmmaFragment.h"
#include "test/unit/layout/RandomLayouts.h"

namespace ashlar::layout {
namespace {

using Shape = std::vector<int64_t>;

/// Whether a thread's values 2v and 2v + 1 are next to each other, the first in
/// an even column.
bool holdsPairs(const FragmentLayout &elements) {
  if (elements.value.size() % 2)
    return false;
  for (int64_t t = 0; t < elements.thread.size(); ++t)
    for (int64_t v = 0; v < elements.value.size(); v += 2) {
      Shape next = coordinate(elements, t, v);
      if (next.back()++ % 2 || coordinate(elements, t, v + 1) != next)
        return false;
    }
  return true;
}

/// Value v of the pairs is values 2v and 2v + 1 of the elements.
void expectPairs(const FragmentLayout &elements, const FragmentLayout &pairs) {
  ASSERT_EQ(pairs.shape.back() * 2, elements.shape.back());
  ASSERT_EQ(pairs.thread.size(), elements.thread.size());
  ASSERT_EQ(pairs.value.size() * 2, elements.value.size());
  for (int64_t t = 0; t < pairs.thread.size(); ++t)
    for (int64_t v = 0; v < pairs.value.size(); ++v) {
      Shape first = coordinate(pairs, t, v);
      first.back() *= 2;
      Shape second = first;
      ++second.back();
      ASSERT_EQ(coordinate(elements, t, 2 * v), first) << elements;
      ASSERT_EQ(coordinate(elements, t, 2 * v + 1), second) << elements;
    }
}

std::vector<FragmentLayout> examples() {
  std::vector<FragmentLayout> all;
  for (int64_t warps : {1, 2, 3, 4, 8})
    for (int64_t bytes : {1, 2, 4})
      for (const Shape &shape : {Shape{128}, Shape{768}, Shape{1, 2048},
                                 Shape{64, 96}, Shape{96, 32}, Shape{256, 2},
                                 Shape{4, 8, 24}, Shape{2, 2}, Shape{3, 64}})
        if (auto layout = blockedLayout(shape, 32 * warps, bytes))
          all.push_back(*layout);
  for (int64_t warps : {1, 2, 4}) {
    all.push_back(*matrixLayout(96, 64, warps));
    all.push_back(*columnLayout(96, 64, 32 * warps, 1, 16));
  }
  for (int64_t n : {8, 24, 64, 256}) {
    all.push_back(*accumulatorLayout(128, n, 1));
    all.push_back(*accumulatorLayout(256, n, 2));
  }
  for (int64_t bytes : {1, 2, 4})
    all.push_back(*operandLayout(128, 64, 1, bytes));
  return all;
}

TEST(Pairs, LieWhereTheirElementsDo) {
  int64_t accepted = 0;
  for (const FragmentLayout &elements : examples()) {
    const Result<FragmentLayout> pairs = pairsOf(elements);
    ASSERT_EQ(bool(pairs), holdsPairs(elements)) << elements;
    if (!pairs)
      continue;
    ++accepted;
    expectPairs(elements, *pairs);
    EXPECT_TRUE(lieAlike(elementsOf(*pairs), elements)) << elements;
  }
  EXPECT_GT(accepted, 50);
}

TEST(Pairs, AreTakenApartWhateverTheirLayout) {
  for (const FragmentLayout &pairs : examples()) {
    const FragmentLayout elements = elementsOf(pairs);
    expectPairs(elements, pairs);
    const Result<FragmentLayout> again = pairsOf(elements);
    ASSERT_TRUE(again) << pairs;
    EXPECT_TRUE(lieAlike(*again, pairs)) << pairs;
  }
}

TEST(Pairs, AreRefusedWhereThreadsHoldOneElementEach) {
  EXPECT_REFUSAL(pairsOf(*blockedLayout({1, 32}, 32, 4)),
                 "do not hold such that are next to each other");
}

TEST(Pairs, LieAlikeWhateverTheModes) {
  const FragmentLayout one = *blockedLayout({16, 64}, 128, 2);
  FragmentLayout other = one;
  other.value = Layout(IntTuple{2, 4}, IntTuple{one.value(1), one.value(2)});
  EXPECT_TRUE(lieAlike(one, other));
  other.value = Layout(IntTuple{4, 2}, IntTuple{one.value(2), one.value(1)});
  EXPECT_FALSE(lieAlike(one, other));
  other = one;
  other.shape = {64, 16};
  EXPECT_FALSE(lieAlike(one, other));
}

} // namespace
} // namespace ashlar::layout
