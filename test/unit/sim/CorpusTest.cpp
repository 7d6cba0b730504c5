// What the fuzzers of test/fuzz start from: each text is executed or read, or
// refused with the errors that are documented.
#include "Corpus.h"
#include "RunPtx.h"

#include "test/fuzz/LoadPtx.h"
#include "test/fuzz/ReadDescription.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

TEST(Corpus, PtxIsExecutedOrRefused) {
  for (const auto &path : corpus("ptx"))
    for (uint64_t seed = 0; seed < 4; ++seed)
      EXPECT_NO_THROW(loadAndLaunch(contentOf(path), seed)) << path;
}

TEST(Corpus, DescriptionsAreReadOrRefused) {
  ASSERT_FALSE(corpus("json").empty());
  for (const auto &path : corpus("json")) {
    bool isRead = false;
    EXPECT_NO_THROW(isRead = readsDescription(contentOf(path))) << path;
    EXPECT_EQ(isRead, path.extension() == ".json") << path;
  }
}

TEST(Launch, EndsAtItsLimitOfInstructions) {
  PtxRunner runner;
  runner.options.maxInstructions = 1000;
  const auto reports = runner.run(
      kernelText("", ".reg .b32 %r;\nL:\nadd.u32 %r, %r, 1;\nbra L;"));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].finding, Finding::other);
  EXPECT_TRUE(reports[0].sentence.starts_with("more than 1000 instructions"));
}

} // namespace
} // namespace ashlar::sim
