// Relays among the lanes of a warp, against what every lane gets and needs.

#include "compiler/layout/Relay.h"
#include "compiler/layout/SharedTile.h"
#include "compiler/layout/WgmmaFragment.h"
#include "test/unit/layout/RandomLayouts.h"

#include <bit>
#include <map>
#include <numeric>

namespace ashlar::layout {
namespace {

using Shape = std::vector<int64_t>;
constexpr int64_t lanes = 32;

int64_t element(const FragmentLayout &fragment, int64_t thread, int64_t value) {
  return fragment.thread(thread) + fragment.value(value);
}

/// Every lane ends with each value that it is to hold.
void expectLaw(const FragmentLayout &from, const FragmentLayout &to,
               const WarpRelay &relay) {
  ASSERT_EQ(relay.sent.size() / relay.choices,
            relay.received.size() / relay.rounds);
  ASSERT_EQ(size_t(relay.choices), size_t(1) << relay.sends.size());
  ASSERT_EQ(size_t(relay.rounds), size_t(1) << relay.gets.size());
  const int64_t groups = int64_t(relay.sent.size()) / relay.choices;
  for (int64_t warp = 0; warp < from.thread.size() / lanes; ++warp)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int64_t thread = warp * lanes + lane;
      std::map<int64_t, int64_t> got; // elements by the value
      for (int64_t group = 0; group < groups; ++group)
        for (int64_t round = 0; round < relay.rounds; ++round) {
          const int64_t source = numberOf(relay.from, lane, round);
          ASSERT_LT(source, lanes);
          if (relay.isInLane())
            ASSERT_EQ(source, lane);
          const auto &sent = relay.sent[group * relay.choices +
                                        numberOf(relay.sends, source, round)];
          const auto &received =
              relay.received[group * relay.rounds +
                             numberOf(relay.gets, lane, round)];
          ASSERT_EQ(sent.size(), received.size());
          for (size_t i = 0; i < sent.size(); ++i)
            got[received[i]] = element(from, warp * lanes + source, sent[i]);
        }
      ASSERT_EQ(int64_t(got.size()), to.value.size());
      for (auto [value, at] : got)
        ASSERT_EQ(at, element(to, thread, value)) << from << " to " << to;
    }
}

/// The digits of a fragment in any order, some of lanes standing still.
FragmentLayout shuffled(RandomLayouts &random, const Shape &shape,
                        std::vector<Mode> digits, int64_t warps) {
  std::vector<Mode> thread, value;
  const int64_t still = random.number(0, 3);
  for (int64_t i = 0; i < still; ++i)
    thread.push_back({2, 0});
  while (!digits.empty()) {
    const size_t i = random.number(0, int64_t(digits.size()) - 1);
    auto &half = thread.size() < 5 && digits[i].extent == 2 ? thread : value;
    half.insert(half.begin() + random.number(0, int64_t(half.size())),
                digits[i]);
    digits.erase(digits.begin() + i);
  }
  while (thread.size() < 5)
    thread.insert(thread.begin() + random.number(0, int64_t(thread.size())),
                  {2, 0});
  if (warps > 1)
    thread.push_back({warps, 0});
  return {shape, flatLayout(thread), flatLayout(value)};
}

TEST(WarpRelay, GivesEveryLaneWhatItHolds) {
  RandomLayouts random(1);
  for (int i = 0; i < 2000; ++i) {
    const Shape shape = {random.pick({1, 2, 4, 8}),
                         random.pick({1, 2, 6, 12, 16, 32})};
    std::vector<Mode> digits;
    int64_t stride = 1;
    for (int64_t extent : shape) {
      int64_t left = extent;
      for (; left % 2 == 0; left /= 2, stride *= 2)
        digits.push_back({2, stride});
      if (left > 1)
        digits.push_back({left, stride});
      stride *= left;
    }
    const int64_t warps = random.pick({1, 4});
    const FragmentLayout from = shuffled(random, shape, digits, warps),
                         to = shuffled(random, shape, digits, warps);
    ASSERT_FALSE(whyNotFragment(from)) << from;
    auto relay = warpRelay(from, to, random.pick({1, 2, 4}));
    ASSERT_TRUE(relay) << relay.why();
    expectLaw(from, to, *relay);
  }
}

TEST(WarpRelay, TakesASumForAnOperandByAShuffleForEachRegister) {
  for (int64_t bytes : {1, 4})
    for (int64_t warpgroups : {1, 2})
      for (int64_t k : {32, 64, 96}) {
        const auto sum = *accumulatorLayout(128, k, warpgroups),
                   operand = *operandLayout(128, k, warpgroups, bytes);
        const auto relay = warpRelay(sum, operand, 4 / bytes);
        ASSERT_TRUE(relay) << relay.why();
        expectLaw(sum, operand, *relay);
        ASSERT_EQ(int64_t(relay->received.size()),
                  operand.value.size() * bytes / 4);
      }
}

TEST(WarpRelay, StaysInLanesThatHoldWhatTheyNeed) {
  const FragmentLayout one{{32, 4}, Layout(32, 1), Layout({2, 2}, {32, 64})},
      other{{32, 4}, Layout(32, 1), Layout({2, 2}, {64, 32})};
  EXPECT_TRUE(warpRelay(one, other, 1)->isInLane());
  const auto sum = *accumulatorLayout(64, 16, 1);
  EXPECT_FALSE(warpRelay(sum, *operandLayout(64, 16, 1, 4), 1)->isInLane());
}

TEST(WarpRelay, BetweenWarpsIsRefused) {
  const auto rows = *blockedLayout({128, 64}, 128, 4),
             sum = *accumulatorLayout(128, 64, 1);
  EXPECT_REFUSAL(warpRelay(rows, sum, 1), "the warps that hold");
}

TEST(OperandLayout, PlacesElementsAsThePtxIsaSays) {
  for (int64_t bytes : {1, 2, 4})
    for (int64_t warpgroups : {1, 2})
      for (int64_t blocks : {1, 2}) {
        const int64_t rows = 64 * blocks, vector = 4 / bytes,
                      depth = 32 / bytes, k = 3 * depth;
        const auto operand =
            *operandLayout(rows * warpgroups, k, warpgroups, bytes);
        for (int64_t t = 0; t < 128 * warpgroups; ++t)
          for (int64_t v = 0; v < operand.value.size(); ++v) {
            const int64_t perBlock = 64 * k / 128, block = v / perBlock;
            const int64_t step = v % perBlock / (4 * vector),
                          i = v % (4 * vector), quarter = i / vector;
            const int64_t row = t / 128 * rows + 64 * block + t / 32 % 4 * 16 +
                                t % 32 / 4 + quarter % 2 * 8;
            const int64_t column = step * depth + quarter / 2 * 4 * vector +
                                   t % 4 * vector + i % vector;
            ASSERT_EQ(coordinate(operand, t, v), (Shape{row, column}));
          }
      }
  EXPECT_EQ(*operandLayout(128, 64, 2, 2), *accumulatorLayout(128, 64, 2));
}

TEST(OperandLayout, MayHaveNeighboursWhereTheAccumulatorHas) {
  // Rows 0 to 7 of each 16, and 8 to 15, are its even and its odd ones.
  auto isOfNeighbours = [](const FragmentLayout &apart,
                           const FragmentLayout &neighbours) {
    EXPECT_FALSE(whyNotFragment(neighbours));
    for (int64_t t = 0; t < apart.thread.size(); ++t)
      for (int64_t v = 0; v < apart.value.size(); ++v) {
        auto at = coordinate(apart, t, v);
        at[0] += -(at[0] % 16) + at[0] % 8 * 2 + at[0] % 16 / 8;
        ASSERT_EQ(coordinate(neighbours, t, v), at);
      }
  };
  for (int64_t warpgroups : {1, 2, 3})
    for (int64_t blocks : {1, 2}) {
      const int64_t rows = 64 * blocks * warpgroups;
      isOfNeighbours(
          *operandLayout(rows, 64, warpgroups, 1),
          *operandLayout(rows, 64, warpgroups, 1, RowsOfLane::neighbours));
      isOfNeighbours(
          *accumulatorLayout(rows, 24, warpgroups),
          *accumulatorLayout(rows, 24, warpgroups, RowsOfLane::neighbours));
    }
}

TEST(OperandLayout, OfInterleavedColumnsIsOnlyNumberedOtherwiseThanOf32Bits) {
  for (int64_t warpgroups : {1, 2})
    for (int64_t k : {16, 32, 64}) {
      const int64_t rows = 128 * warpgroups;
      const FragmentLayout wide = *operandLayout(rows, k, warpgroups, 4),
                           narrow = *operandLayout(rows, k, warpgroups, 2,
                                                   RowsOfLane::eight_apart,
                                                   DepthOrder::interleaved),
                           ascending = *operandLayout(rows, k, warpgroups, 2);
      EXPECT_FALSE(whyNotFragment(narrow));
      EXPECT_TRUE(warpRelay(wide, narrow, 1)->isRenumbering());
      EXPECT_FALSE(warpRelay(wide, ascending, 1)->isInLane());
      // wgmma finds at a column of A what lies there of B.
      const SwizzledLayout b = *interleavedColumns({8, k}, 2);
      for (int64_t t = 0; t < narrow.thread.size(); ++t)
        for (int64_t v = 0; v < narrow.value.size(); ++v) {
          auto at = coordinate(narrow, t, v);
          at[1] = b.layout.at({0, at[1]}) / 2;
          ASSERT_EQ(at, coordinate(ascending, t, v));
        }
    }
}

TEST(OperandLayout, OfPartsOfAnInstructionIsRefused) {
  EXPECT_REFUSAL(operandLayout(64, 32, 1, 4, RowsOfLane::eight_apart,
                               DepthOrder::interleaved),
                 "for elements of 2");
  EXPECT_REFUSAL(operandLayout(96, 32, 1, 1), "multiple of 64 rows");
  EXPECT_REFUSAL(operandLayout(64, 16, 1, 1), "use a multiple of 32");
  EXPECT_REFUSAL(operandLayout(64, 32, 1, 8), "no elements of 8 bytes");
}

} // namespace
} // namespace ashlar::layout
