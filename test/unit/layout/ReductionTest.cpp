// What a warp combines and what is left, against every thread's elements.

#include "compiler/layout/Reduction.h"
#include "compiler/layout/IntTuple.h"
#include "compiler/layout/WgmmaFragment.h"
#include "test/unit/layout/RandomLayouts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace ashlar::layout {
namespace {

using Shape = std::vector<int64_t>;
using Elements = std::multiset<Shape>;

/// What belongs to each result: by the coordinates that are kept.
using Groups = std::map<Shape, Elements>;

Shape keptOf(const Shape &at, const std::vector<int> &kept) {
  Shape result;
  for (int dim : kept)
    result.push_back(at[dim]);
  return kept.empty() ? Shape{0} : result;
}

void expectLaw(const FragmentLayout &fragment,
               const std::vector<int> &dimensions) {
  auto reduction = warpReduction(fragment, dimensions);
  ASSERT_TRUE(reduction) << fragment;
  const std::vector<int> kept =
      keptDimensions(int64_t(fragment.shape.size()), dimensions);
  const int64_t threads = fragment.thread.size();
  Groups all;
  std::vector<Groups> held(threads);
  for (int64_t t = 0; t < threads; ++t)
    for (int64_t v = 0; v < fragment.value.size(); ++v) {
      const Shape at = coordinate(fragment, t, v);
      held[t][keptOf(at, kept)].insert(at);
    }
  for (int64_t i = 0; i < IntTuple::of(fragment.shape).product(); ++i) {
    Shape at;
    int64_t left = i;
    for (int64_t extent : fragment.shape) {
      at.push_back(left % extent);
      left /= extent;
    }
    all[keptOf(at, kept)].insert(at);
  }

  // Lanes exchange what they have.
  for (int64_t distance : reduction->distances) {
    ASSERT_LT(distance, 32);
    std::vector<Groups> before = held;
    for (int64_t t = 0; t < threads; ++t)
      for (auto &[at, elements] : held[t]) {
        const Elements &other = before[t ^ distance].at(at);
        elements.insert(other.begin(), other.end());
      }
  }
  const bool inParts = reduction->parts > 1;
  const FragmentLayout &partial =
      inParts ? reduction->partial : reduction->result;
  if (auto refusal = whyNotFragment(partial))
    FAIL() << refusal->why;
  ASSERT_EQ(partial.thread.size(), threads);
  // By number of the part, the same from each thread that holds it.
  std::map<std::pair<int64_t, Shape>, Elements> parts;
  for (int64_t t = 0; t < threads; ++t) {
    ASSERT_EQ(int64_t(held[t].size()), partial.value.size());
    for (int64_t v = 0; v < partial.value.size(); ++v) {
      Shape at = coordinate(partial, t, v);
      const int64_t part = inParts ? at.back() : 0;
      if (inParts)
        at.pop_back();
      auto [known, isNew] = parts.try_emplace({part, at}, held[t].at(at));
      ASSERT_EQ(known->second, held[t].at(at)) << fragment;
    }
  }
  Groups together;
  for (auto &[place, elements] : parts)
    together[place.second].insert(elements.begin(), elements.end());
  ASSERT_EQ(together, all) << fragment;

  // Each thread that holds an element gets all parts of its result.
  const FragmentLayout &gathered = reduction->gathered;
  const FragmentLayout &result = reduction->result;
  ASSERT_EQ(result.thread.size(), threads);
  ASSERT_EQ(gathered.value.size(), reduction->parts * result.value.size());
  for (int64_t t = 0; t < threads; ++t) {
    std::set<Shape> results, wanted, gatheredHere;
    for (auto &[at, elements] : held[t])
      wanted.insert(at);
    for (int64_t v = 0; v < result.value.size(); ++v)
      results.insert(coordinate(result, t, v));
    ASSERT_EQ(results, wanted) << fragment;
    for (int64_t v = 0; v < gathered.value.size(); ++v)
      gatheredHere.insert(coordinate(gathered, t, v));
    ASSERT_EQ(int64_t(gatheredHere.size()), gathered.value.size()) << fragment;
  }
}

TEST(WarpReduction, CombinesEachElementOnce) {
  for (int64_t warpgroups : {1, 2})
    for (int64_t n : {8, 24, 64}) {
      const FragmentLayout sum = *accumulatorLayout(128, n, warpgroups);
      for (const std::vector<int> &along :
           {std::vector<int>{0}, std::vector<int>{1}, std::vector<int>{0, 1}})
        expectLaw(sum, along);
    }
}

TEST(WarpReduction, CombinesEachElementOfRandomLayoutsOnce) {
  RandomLayouts random(31);
  for (int round = 0; round < 300; ++round) {
    Shape shape;
    for (int64_t i = random.number(1, 3); i > 0; --i)
      shape.push_back(random.pick({1, 2, 3, 4, 6, 8, 12, 16, 32}));
    const int64_t threads = random.pick({32, 64, 96, 128, 256});
    auto fragment = blockedLayout(shape, threads, random.pick({1, 2, 4}));
    if (!fragment)
      continue;
    std::vector<int> along;
    while (along.empty())
      for (int dim = 0; dim < int(shape.size()); ++dim)
        if (random.number(0, 1))
          along.push_back(dim);
    expectLaw(*fragment, along);
  }
}

TEST(WarpReduction, OfRowsOfAnAccumulatorIsTwoShuffles) {
  const auto rows = *warpReduction(*accumulatorLayout(64, 64, 1), {1});
  EXPECT_EQ(rows.distances, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(rows.parts, 1);
  const auto columns = *warpReduction(*accumulatorLayout(64, 64, 1), {0});
  EXPECT_EQ(columns.distances, (std::vector<int64_t>{4, 8, 16}));
  EXPECT_EQ(columns.parts, 4);
}

// What is held twice would count twice.
TEST(WarpReduction, RefusesWhatOverlaps) {
  const FragmentLayout twice{
      {8}, Layout({4, 8}, {2, 0}), Layout({2, 2}, {1, 0})};
  EXPECT_REFUSAL(warpReduction(twice, {0}), "some would count more than once");
}

TEST(Copies, AreThreadsThatRepeatOthers) {
  EXPECT_TRUE(copiesAmongThreads(*blockedLayout({64, 32}, 128, 4)).empty());
  EXPECT_EQ(copiesAmongThreads(*blockedLayout({32}, 128, 4)),
            (std::vector<Copies>{{32, 4}}));
  EXPECT_EQ(copiesAmongThreads(sliceLayout(*accumulatorLayout(64, 64, 1), {0})),
            (std::vector<Copies>{{1, 4}}));
}

} // namespace
} // namespace ashlar::layout
