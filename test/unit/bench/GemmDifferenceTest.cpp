#include "bench/GemmDifference.h"

#include "tool/Elements.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ashlar::bench {
namespace {

const GemmTypes half{};
const GemmTypes fast{e4m3, e4m3, bf16, Accumulation::fast};

std::vector<float> rounded(const std::vector<double> &values) {
  std::vector<float> elements;
  for (double value : values)
    elements.push_back(static_cast<float>(harness::rounded(bf16, value)));
  return elements;
}

TEST(GemmDifference, IsNoneOfEqualResults) {
  const Difference off = difference(rounded({1, -2, 3}), rounded({1, -2, 3}));
  EXPECT_EQ(off.relative, 0);
  EXPECT_EQ(off.largest, 0);
  EXPECT_TRUE(isRight(off, half));
}

TEST(GemmDifference, IsSmallOfRoundings) {
  EXPECT_TRUE(
      isRight(difference(rounded({100, 1}), rounded({100.5, 1})), half));
}

TEST(GemmDifference, ShowsASingleWrongElementAmongMany) {
  std::vector<double> values(1'000'000, 1.0);
  const std::vector<float> reference = rounded(values);
  values[345678] = -1;
  const Difference off = difference(rounded(values), reference);
  EXPECT_LT(off.relative, 0.01);
  EXPECT_DOUBLE_EQ(off.largest, 1);
  EXPECT_FALSE(isRight(off, half));
  EXPECT_FALSE(isRight(off, fast));
}

TEST(GemmDifference, IsInfiniteOfWhatWasNotWritten) {
  const Difference off = difference({NAN, 1}, {1, 1});
  EXPECT_EQ(off.largest, INFINITY);
  EXPECT_EQ(off.relative, INFINITY);
  EXPECT_FALSE(isRight(off, half));
}

TEST(GemmDifference, FastSumsMayBeFurtherOff) {
  const Difference off = difference(rounded({1, 1}), rounded({1.125, 1}));
  EXPECT_FALSE(isRight(off, half));
  EXPECT_TRUE(isRight(off, fast));
}

} // namespace
} // namespace ashlar::bench
