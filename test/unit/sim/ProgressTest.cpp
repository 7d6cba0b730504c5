#include "runtime/sim/driver/ProgressDisplay.h"
#include "test/unit/sim/RunPtx.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <thread>

using namespace ashlar::sim;
using namespace std::chrono_literals;

namespace {

uint64_t instructions(const std::string &body, LaunchShape shape,
                      uint64_t seed = 0) {
  Progress progress;
  PtxRunner runner;
  runner.shape = shape;
  runner.options.seed = seed;
  runner.options.progress = &progress;
  const auto reports = runner.run(kernelText("", body));
  EXPECT_TRUE(reports.empty()) << text(reports);
  EXPECT_EQ(progress.finishedClusters, progress.clusters);
  return progress.instructions;
}

TEST(InstructionCount, CountsEachInstructionOfAWarpOnce) {
  const char *const three = ".reg .b32 %r<2>;\nmov.u32 %r0, 1;\n"
                            "add.u32 %r1, %r0, 2;\nret;";
  EXPECT_EQ(instructions(three, {{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0}), 3u);
  EXPECT_EQ(instructions(three, {{1, 1, 1}, {7, 1, 1}, {1, 1, 1}, 0}), 3u);
  EXPECT_EQ(instructions(three, {{6, 1, 1}, {64, 1, 1}, {2, 1, 1}, 0}), 36u);
  // The end of a kernel without ret is no instruction.
  EXPECT_EQ(instructions(".reg .b32 %r<1>;\nmov.u32 %r0, 1;",
                         {{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0}),
            1u);
}

TEST(InstructionCount, CountsWhatAGuardTurnsOffAndEachSideOfABranch) {
  // setp, the branch, one add for either side, ret for all.
  EXPECT_EQ(instructions(".reg .b32 %r<2>;\n.reg .pred %p;\n"
                         "mov.u32 %r0, %tid.x;\nsetp.lt.u32 %p, %r0, 5;\n"
                         "@%p bra A;\nadd.u32 %r1, %r0, 2;\nbra B;\n"
                         "A:\nadd.u32 %r1, %r0, 3;\nB:\n@%p mov.u32 %r1, 1;\n"
                         "ret;",
                         {{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0}),
            8u);
  EXPECT_EQ(instructions(".reg .b32 %r<2>;\n.reg .pred %p;\n"
                         "mov.u32 %r0, %tid.x;\nsetp.gt.u32 %p, %r0, 99;\n"
                         "@%p mov.u32 %r1, 1;\nret;",
                         {{1, 1, 1}, {32, 1, 1}, {1, 1, 1}, 0}),
            4u);
}

TEST(InstructionCount, AnAttemptThatHasToWaitIsNone) {
  for (uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(instructions("bar.sync 0;\nbar.sync 0;\nret;",
                           {{2, 1, 1}, {256, 1, 1}, {1, 1, 1}, 0}, seed),
              2u * 8 * 3)
        << seed;
}

TEST(ProgressText, SaysWhatIsDoneAndHowLongTheRestTakes) {
  Progress progress;
  progress.clusters = 32;
  progress.finishedClusters = 0;
  progress.instructions = 999;
  EXPECT_EQ(describeProgress({"gemm", 2, 1, 0}, progress, 6s),
            "simulating 'gemm': 0 of 64 blocks done, 999 instructions, 6 s");
  progress.finishedClusters = 8;
  progress.instructions = 8'400'000;
  EXPECT_EQ(describeProgress({"gemm", 2, 1, 0}, progress, 6s),
            "simulating 'gemm': 16 of 64 blocks done, 8,400,000 instructions, "
            "6 s, about 18 s left");
  EXPECT_EQ(describeProgress({"gemm", 2, 5, 1}, progress, 100s),
            "simulating 'gemm', seed 2 of 5: 16 of 64 blocks done, 8,400,000 "
            "instructions, 100 s, about 5 min left");
  EXPECT_TRUE(
      describeProgress({std::string(100, 'k'), 1, 1, 0}, progress, 6s)
          .starts_with("simulating '" + std::string(29, 'k') + "...': 8 of"));
}

/// What a display writes to its stream.
class Display : public testing::Test {
protected:
  std::FILE *stream = std::tmpfile();
  Progress progress;
  void SetUp() override { progress.clusters = 4; }
  void TearDown() override { std::fclose(stream); }
  std::string written() {
    std::string text(static_cast<size_t>(std::ftell(stream)), 0);
    std::rewind(stream);
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), stream), text.size());
    return text;
  }
};

TEST_F(Display, SaysNothingOfWhatIsShort) {
  {
    ProgressDisplay display(stream, true, progress, {"k"});
    display.around([&] { std::fputs("printed\n", stream); });
  }
  EXPECT_EQ(written(), "printed\n");
}

TEST_F(Display, OfATerminalIsOneLineThatGivesWayToWhatIsPrinted) {
  {
    ProgressDisplay display(stream, true, progress, {"k"}, {1ms, 1h, 1h});
    std::this_thread::sleep_for(200ms);
    display.around([&] { std::fputs("printed\n", stream); });
  }
  const std::string text = written();
  const std::string wiped = "\r\033[K";
  EXPECT_TRUE(text.starts_with("simulating 'k': 0 of 4 blocks done")) << text;
  EXPECT_TRUE(text.ends_with(" s" + wiped + "printed\n")) << text;
}

TEST_F(Display, OfAFileIsLinesAtGrowingIntervals) {
  {
    ProgressDisplay display(stream, false, progress, {"k"}, {10ms, 1ms, 1h});
    std::this_thread::sleep_for(500ms);
  }
  const std::string text = written();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_GE(lines, 1) << text;
  EXPECT_LE(lines, 6) << text; // 10, 20, 40, ... ms
  EXPECT_EQ(text.find('\r'), text.npos);
}

} // namespace
