// Some programs of each family: each compiles without a remark or a spill, runs
// without a finding and gives the right result. A test is named after its
// number; --gtest_random_seed=N draws others.

#include "test/corpus/Check.h"
#include "test/kernels/Register.h"

namespace ashlar::corpus {
namespace {

constexpr uint64_t programs = 60;

void runs(Family family, uint64_t number) {
  const uint64_t seed = GTEST_FLAG_GET(random_seed) * programs + number;
  const Program program = draw(family, seed);
  const Outcome outcome = checkApart(program);
  EXPECT_TRUE(outcome.failures.empty()) << outcome.str() << print(program);
}

[[maybe_unused]] const bool registered = [] {
  for (auto [family, suite] : {std::pair{Family::compute, "ComputeCorpus"},
                               std::pair{Family::pipeline, "PipelineCorpus"}})
    for (uint64_t number = 0; number < programs; ++number)
      test::registerTest(suite, std::to_string(number),
                         [family = family, number] { runs(family, number); });
  return true;
}();

} // namespace
} // namespace ashlar::corpus
