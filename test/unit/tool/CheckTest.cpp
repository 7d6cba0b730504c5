#include "tool/Check.h"

#include "tool/Elements.h"
#include "tool/MakeProblem.h"

#include <gtest/gtest.h>

using namespace ashlar;
using namespace ashlar::harness;

namespace {

double sumOfCoordinates(const Problem &, std::span<const int64_t> at) {
  return static_cast<double>(at[0] + at[1]);
}

HostTensor rightResult(ElementType type, std::vector<int64_t> shape) {
  HostTensor tensor("D", type, shape, {shape[1], 1});
  forEachCoordinate(shape, [&](std::span<const int64_t> at) {
    tensor.write(tensor.offset(at), sumOfCoordinates({}, at));
  });
  return tensor;
}

void unwrite(HostTensor &tensor, int64_t element) {
  storeBits(tensor.type(), tensor.bytes().data(), element,
            poisonBits(tensor.type(), element));
}

} // namespace

TEST(Check, PassesTheRightResult) {
  for (ElementType type : {bf16, f16, f32, e4m3, s8, s32}) {
    const CheckResult outcome =
        check({}, rightResult(type, {30, 40}), sumOfCoordinates);
    EXPECT_TRUE(outcome.passed()) << name(type) << outcome.first;
    EXPECT_EQ(outcome.compared, 1200);
  }
}

TEST(Check, FindsAnElementThatWasNeverWritten) {
  HostTensor result = rightResult(bf16, {30, 40});
  unwrite(result, 41);
  const CheckResult outcome = check({}, result, {});
  EXPECT_EQ(outcome.unwritten, 1);
  EXPECT_EQ(outcome.first, "D[1, 1] was never written");
}

TEST(Check, FindsIntegersInARowThatWereNeverWritten) {
  HostTensor result = rightResult(s8, {30, 40});
  for (int64_t element = 35; element < 45; ++element)
    unwrite(result, element);
  CheckResult outcome = check({}, result, {});
  EXPECT_EQ(outcome.unwritten, 10);
  EXPECT_EQ(outcome.first, "D[0, 35] was never written");
  EXPECT_TRUE(check({}, rightResult(s8, {0, 40}), {}).passed());
  // Fewer may be right by chance, unless they are all and nothing else tells.
  result = rightResult(s32, {1, 1});
  EXPECT_TRUE(check({}, result, {}).passed());
  unwrite(result, 0);
  EXPECT_EQ(check({}, result, {}).unwritten, 1);
}

TEST(Check, ComparesAnIntegerThatMayNotHaveBeenWritten) {
  HostTensor result = rightResult(s32, {3000, 4000});
  unwrite(result, 3990 + 4000 * 2990);
  const CheckResult outcome =
      check({}, result, sumOfCoordinates, {}, /*seconds=*/0);
  EXPECT_LT(outcome.compared, outcome.elements);
  EXPECT_EQ(outcome.wrong, 1);
}

TEST(Check, FindsAWrongElementAndNamesIt) {
  HostTensor result = rightResult(f32, {30, 40});
  result.write(result.offset(std::vector<int64_t>{29, 39}), 70);
  const CheckResult outcome = check({}, result, sumOfCoordinates);
  EXPECT_EQ(outcome.wrong, 1);
  EXPECT_EQ(outcome.first,
            "D[29, 39] is 70, the reference is 68 (at most 0.102475 apart)");
}

TEST(Check, SamplesTheCornersWhenThereIsNoTime) {
  HostTensor result = rightResult(f32, {3000, 4000});
  result.write(result.offset(std::vector<int64_t>{2999, 3999}), 0);
  const CheckResult outcome =
      check({}, result, sumOfCoordinates, {}, /*seconds=*/0);
  EXPECT_LT(outcome.compared, 1000);
  EXPECT_EQ(outcome.wrong, 1);
}

TEST(Check, BeyondTheTypesRangeOnlyASaturatedResultIsRight) {
  HostTensor result("D", e4m3, {1, 1}, {1, 1});
  auto reference = [](const Problem &, std::span<const int64_t>) {
    return 1000.0;
  };
  result.write(0, 448);
  EXPECT_TRUE(check({}, result, reference).passed());
  result.write(0, 416);
  EXPECT_EQ(check({}, result, reference).first,
            "D[0, 0] is 416, the reference is 1000 (only 448 and beyond are "
            "right)");
}

TEST(Check, ToleranceIsRelativeToTheRootMeanSquareToo) {
  HostTensor result("D", f32, {1, 2}, {2, 1});
  result.write(0, 0.01);
  result.write(1, 100);
  auto reference = [](const Problem &, std::span<const int64_t> at) {
    return at[1] ? 100.0 : 0.0;
  };
  EXPECT_TRUE(check({}, result, reference, 1e-3).passed());
  EXPECT_FALSE(check({}, result, reference, 1e-5).passed());
}
