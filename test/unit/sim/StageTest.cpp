// Stages that are read after a round in which they were not filled again.
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

const std::string ring = "//@ shared 0 128 tile 0 of stage 0\n"
                         "//@ ring 1 memory 0 128 full 128 empty 136\n";

/// Warp 0 fills a stage of 128 bytes three times, a word by each lane; warp 1
/// reads it. In the second and third round only the lanes below `lanes` store.
/// A tile behind the stage is written once and read in each round.
std::vector<Report> reports(unsigned lanes, const std::string &notes = ring,
                            uint64_t seed = 0) {
  PtxRunner runner;
  runner.shape.block = {64, 1, 1};
  runner.shape.dynamicSharedBytes = 512;
  runner.options.seed = seed;
  return runner.run(
      notes +
      kernelText(
          "",
          ".reg .pred %p, %q, %refills; .reg .b32 %t, %lane, %r<9>, %round;\n"
          ".reg .b64 %d<3>;\n"
          "mov.u32 %t, %tid.x;\nmov.u32 %lane, %laneid;\n"
          "mov.u32 %r0, memory;\nmad.lo.u32 %r1, %lane, 4, %r0;\n"
          "setp.ne.u32 %p, %t, 0;\n@%p bra ready;\n"
          "mbarrier.init.shared.b64 [%r0+128], 32;\n"
          "mbarrier.init.shared.b64 [%r0+136], 32;\n"
          "ready: mad.lo.u32 %r5, %t, 4, %r0;\nst.shared.u32 [%r5+256], "
          "%t;\nbar.sync 0;\n"
          "mov.u32 %round, 0;\nsetp.ge.u32 %p, %t, 32;\n@%p bra consume;\n"

          "produce: and.b32 %r2, %round, 1;\nxor.b32 %r2, %r2, 1;\n"
          "free: mbarrier.try_wait.parity.shared.b64 %p, [%r0+136], %r2;\n"
          "@!%p bra free;\n"
          "setp.eq.u32 %refills, %round, 0;\n"
          "setp.lt.or.u32 %refills, %lane, " +
              std::to_string(lanes) +
              ", %refills;\n"
              "@%refills st.shared.u32 [%r1], %round;\n"
              "mbarrier.arrive.shared.b64 %d0, [%r0+128];\n"
              "add.u32 %round, %round, 1;\nsetp.lt.u32 %p, %round, 3;\n"
              "@%p bra produce;\nret;\n"

              "consume: and.b32 %r2, %round, 1;\n"
              "full: mbarrier.try_wait.parity.shared.b64 %p, [%r0+128], %r2;\n"
              "@!%p bra full;\n"
              "ld.shared.u32 %r3, [%r1];\nld.shared.u32 %r4, [%r1+256];\n"
              "mbarrier.arrive.shared.b64 %d0, [%r0+136];\n"
              "add.u32 %round, %round, 1;\nsetp.lt.u32 %p, %round, 3;\n"
              "@%p bra consume;\nret;",
          ".extern .shared .align 8 .b8 memory[];"));
}

void expectStale(const std::vector<Report> &reports, const std::string &part) {
  ASSERT_EQ(reports.size(), 1u) << text(reports);
  EXPECT_STREQ(name(reports[0].finding), "stale data") << text(reports);
  EXPECT_NE(reports[0].sentence.find(part), std::string::npos) << text(reports);
}

TEST(Stage, IsFilledInEachRound) {
  for (uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(text(reports(32, ring, seed)), "");
}

TEST(Stage, IsFilledInPart) {
  for (uint64_t seed = 0; seed < 10; ++seed)
    expectStale(reports(16, ring, seed),
                "tile 0 of stage 0 (shared+1088) was given back and is read "
                "again in round 1 (from 0) of its stage, in which it was not "
                "written");
}

TEST(Stage, IsNotFilled) {
  expectStale(reports(0), "nothing of the stage was written");
}

// Without notes nobody knows what is meant to stay where it is.
TEST(Stage, IsNotKnown) { EXPECT_EQ(text(reports(16, "")), ""); }

} // namespace
} // namespace ashlar::sim
