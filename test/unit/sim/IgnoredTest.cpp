#include "runtime/sim/machine/Ignored.h"
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace ashlar::sim {
namespace {

/// Each lane divides by its number less 3, then by that less 7: on two lines of
/// the source.
const std::string divides = kernelText("", R"(
  .reg .b32 %r<5>;
  mov.u32 %r1, %tid.x;
  sub.s32 %r2, %r1, 3;
  .loc 1 5 0
  div.s32 %r3, %r1, %r2;
  rem.s32 %r3, %r1, %r2;
  sub.s32 %r2, %r2, 7;
  .loc 1 6 0
  div.s32 %r4, %r1, %r2;
  ret;
)",
                                       "") +
                            ".file 1 \"dir/author.cpp\"\n";

std::vector<Report> runIgnoring(const std::string &text,
                                const std::string &entries) {
  Ignored ignored;
  if (!entries.empty())
    ignored.addAll(entries);
  PtxRunner runner;
  runner.options.ignored = &ignored;
  return runner.run(text);
}

std::string problem(const std::string &entries) {
  try {
    Ignored().addAll(entries);
    return "";
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
}

TEST(Division, ByZeroIsReportedOnceForALine) {
  const std::vector<Report> reports = runIgnoring(divides, "");
  ASSERT_EQ(reports.size(), 2u) << text(reports);
  EXPECT_EQ(reports[0].finding, Finding::dividesByZero);
  EXPECT_EQ(reports[0].count, 2u);
  EXPECT_EQ(reports[0].sites[0].source, "author.cpp:5");
  EXPECT_NE(reports[0].sites[0].who.find("lane 3"), std::string::npos)
      << text(reports);
  EXPECT_NE(reports[0].text().find("found 2 times"), std::string::npos);
  EXPECT_EQ(reports[1].count, 1u);
  EXPECT_EQ(reports[1].sites[0].source, "author.cpp:6");
  EXPECT_FALSE(reports[0].isEnd);
}

TEST(Division, ByZeroOfLanesThatAreOffIsNone) {
  const std::vector<Report> reports = runIgnoring(kernelText("", R"(
  .reg .pred %p;
  .reg .b32 %r<3>;
  mov.u32 %r1, %tid.x;
  setp.ne.u32 %p, %r1, 0;
  @%p div.u32 %r2, 5, %r1;
  ret;
)"),
                                                  "");
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(Ignored, CoversAKindOrALine) {
  EXPECT_TRUE(runIgnoring(divides, "division-by-zero").empty());
  EXPECT_EQ(runIgnoring(divides, "race,deadlock").size(), 2u);
  EXPECT_EQ(runIgnoring(divides, "division-by-zero@author.cpp:6").size(), 1u);
  EXPECT_EQ(runIgnoring(divides, "division-by-zero@author.cpp:7").size(), 2u);
  EXPECT_EQ(runIgnoring(divides, "division-by-zero@thor.cpp:6").size(), 2u);
  EXPECT_TRUE(runIgnoring(divides, "division-by-zero@author.cpp:6, "
                                   "division-by-zero@author.cpp:5")
                  .empty());
}

TEST(Ignored, ComesFromAFile) {
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / "ignored.txt").string();
  std::ofstream(path) << "# known\n\ndivision-by-zero@author.cpp:5 # why\n";
  EXPECT_EQ(runIgnoring(divides, path).size(), 1u);
  std::ofstream(path) << "race\ndivison\n";
  EXPECT_EQ(problem(path).rfind(path + ":2: 'divison' is neither", 0), 0u)
      << problem(path);
  std::filesystem::remove(path);
}

TEST(Ignored, RefusesWhatIsNoEntry) {
  EXPECT_NE(problem("divison").find("division-by-zero"), std::string::npos);
  EXPECT_NE(problem("").find("neither"), std::string::npos);
  EXPECT_NE(problem("race,").find("neither"), std::string::npos);
  EXPECT_NE(problem("race@gemm.cpp").find("FILE:LINE"), std::string::npos);
  EXPECT_NE(problem(testing::TempDir()).find("is a folder"), std::string::npos);
  EXPECT_NE(problem("/dev/null").find("a device"), std::string::npos);
  EXPECT_NE(problem("race@gemm.cpp:x").find("FILE:LINE"), std::string::npos);
}

TEST(Ignored, DoesNotCoverWhatEndsTheLaunch) {
  const std::vector<Report> reports =
      runIgnoring(kernelText("", "trap;"), "trap");
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_TRUE(reports[0].isEnd);
  EXPECT_NE(reports[0].sentence.find("not ignored"), std::string::npos);
}

} // namespace
} // namespace ashlar::sim
