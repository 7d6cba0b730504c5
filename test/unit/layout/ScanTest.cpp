// Scans of fragments, against every thread's elements.

#include "compiler/layout/Scan.h"
#include "compiler/layout/IntTuple.h"
#include "compiler/layout/WgmmaFragment.h"
#include "test/unit/layout/RandomLayouts.h"

#include <gtest/gtest.h>

#include <set>

namespace ashlar::layout {
namespace {

using Shape = std::vector<int64_t>;

/// Each step of lanes reaches the neighbour that it joins, and totals are of
/// the runs that a thread holds, or of all on their lines.
void expectLaw(const FragmentLayout &fragment, int dimension) {
  auto scan = warpScan(fragment, dimension);
  ASSERT_TRUE(scan) << fragment;
  ASSERT_EQ(scan->run * scan->runs, fragment.shape[dimension]);
  ASSERT_FALSE(whyNotFragment(scan->totals)) << scan->totals;
  ASSERT_FALSE(whyNotFragment(scan->gathered)) << scan->gathered;
  auto numberOfRun = [&](Shape at) {
    const int64_t number = at[dimension] / scan->run;
    at.erase(at.begin() + dimension);
    at.push_back(number);
    return at;
  };
  int64_t run = 1;
  for (const WarpScan::Step &step : scan->steps) {
    ASSERT_TRUE(step.lane == 0 || step.extent == 2);
    ASSERT_LT(step.lane, 32);
    run *= step.extent;
  }
  ASSERT_EQ(run, scan->run);
  for (int64_t t = 0; t < fragment.thread.size(); ++t) {
    std::set<Shape> runs, told, all, expected;
    for (int64_t v = 0; v < fragment.value.size(); ++v) {
      const Shape at = coordinate(fragment, t, v);
      runs.insert(numberOfRun(at));
      // A step of lanes moves half as far as the run that it makes.
      int64_t reached = 1;
      for (const WarpScan::Step &step : scan->steps) {
        if (step.lane) {
          Shape other = coordinate(fragment, t ^ step.lane, v);
          Shape mine = at;
          ASSERT_EQ(std::abs(other[dimension] - mine[dimension]), reached);
          ASSERT_EQ(other[dimension] > mine[dimension], (t & step.lane) == 0);
          other[dimension] = mine[dimension] = 0;
          ASSERT_EQ(other, mine);
        }
        reached *= step.extent;
      }
    }
    for (int64_t v = 0; v < scan->totals.value.size(); ++v)
      told.insert(coordinate(scan->totals, t, v));
    ASSERT_EQ(told, runs) << fragment << " " << scan->totals;
    for (const Shape &each : runs)
      for (int64_t number = 0; number < scan->runs; ++number) {
        Shape other = each;
        other.back() = number;
        expected.insert(other);
      }
    for (int64_t v = 0; v < scan->gathered.value.size(); ++v)
      all.insert(coordinate(scan->gathered, t, v));
    ASSERT_EQ(all, expected) << fragment << " " << scan->gathered;
  }
}

TEST(WarpScan, OfRows) {
  RandomLayouts random(1);
  for (int i = 0; i < 200; ++i) {
    const int64_t warps = random.pick({1, 2, 3, 4, 8});
    Shape shape = {random.pick({1, 2, 4, 8, 64}),
                   random.pick({8, 16, 48, 64, 96, 512})};
    auto fragment = blockedLayout(shape, 32 * warps, random.pick({1, 2, 4}));
    if (!fragment)
      continue;
    expectLaw(*fragment, 0);
    expectLaw(*fragment, 1);
  }
}

TEST(WarpScan, OfAccumulators) {
  for (int64_t warpgroups : {1, 2})
    for (int64_t columns : {8, 48, 256}) {
      auto fragment = accumulatorLayout(128, columns, warpgroups);
      expectLaw(*fragment, 0);
      expectLaw(*fragment, 1);
    }
}

TEST(WarpScan, OfParts) {
  auto fragment = accumulatorLayout(128, 256, 1);
  auto part = partLayout(*fragment, {0, 64}, {128, 32});
  ASSERT_TRUE(part);
  expectLaw(*part, 0);
  expectLaw(*part, 1);
}

TEST(WarpScan, OfWhatOverlapsIsRefused) {
  const FragmentLayout overlapping{{40}, Layout(32, 1), Layout(9, 1)};
  ASSERT_FALSE(whyNotFragment(overlapping));
  EXPECT_REFUSAL(warpScan(overlapping, 0), "more than once");
}

} // namespace
} // namespace ashlar::layout
