// Loops that wait for a change in memory that never comes.
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

/// The first report of a kernel of the lines, with a buffer of four words of
/// zeros at %flags and the number of the CTA in %cta, that may execute so many
/// instructions; 0 for any.
Report report(const std::string &lines, const std::string &notes = "",
              unsigned ctas = 2, unsigned threads = 32,
              uint64_t mostInstructions = 0) {
  PtxRunner runner;
  runner.shape.grid = {ctas, 1, 1};
  runner.shape.block = {threads, 1, 1};
  runner.options.timeLimit = std::chrono::seconds(20);
  runner.options.maxInstructions = mostInstructions;
  runner.buffer(std::vector<uint32_t>(4));
  const auto reports = runner.run(
      notes + kernelText(".param .u64 flags_parameter",
                         ".reg .pred %p, %q; .reg .b32 %r<9>, %cta, %t;\n"
                         ".reg .b64 %flags, %d<4>;\n"
                         "ld.param.u64 %flags, [flags_parameter];\n"
                         "mov.u32 %cta, %ctaid.x;\nmov.u32 %t, %tid.x;\n" +
                             lines + "\nret;",
                         ".shared .align 8 .b64 bar;"));
  return reports.empty() ? Report() : reports.front();
}

void expectDeadlock(const Report &report,
                    const std::vector<std::string> &parts) {
  EXPECT_STREQ(name(report.finding), "deadlock") << report.text();
  for (const std::string &part : parts)
    EXPECT_NE(report.text().find(part), std::string::npos)
        << part << " is not in\n"
        << report.text();
}

// CTA 0 signals the second word once, CTA 1 waits for two.
const std::string counter = "setp.ne.u32 %p, %cta, 0;\n@%p bra wait;\n"
                            "setp.ne.u32 %q, %t, 0;\n@%q bra done;\n"
                            "red.release.gpu.global.add.u32 [%flags+4], 1;\n"
                            "bra done;\n"
                            "wait: ld.acquire.gpu.global.b32 %r0, [%flags+4];\n"
                            "setp.lt.s32 %q, %r0, 2;\n@%q bra wait;\n"
                            "done:\n";

// Two warps answer one another a thousand times. It takes long to find that a
// loop waits, the first time.
TEST(Spin, IsKnownAgainWhenItWaitsAnew) {
  const Report found =
      report("setp.ge.u32 %p, %t, 32;\nmov.u32 %r1, 0;\n@%p bra second;\n"
             "first: add.s32 %r1, %r1, 1;\n"
             "st.release.gpu.global.u32 [%flags], %r1;\n"
             "wait: ld.acquire.gpu.global.u32 %r0, [%flags+4];\n"
             "setp.ne.u32 %q, %r0, %r1;\n@%q bra wait;\n"
             "setp.lt.u32 %q, %r1, 1000;\n@%q bra first;\nbra done;\n"
             "second: add.s32 %r1, %r1, 1;\n"
             "other: ld.acquire.gpu.global.u32 %r0, [%flags];\n"
             "setp.ne.u32 %q, %r0, %r1;\n@%q bra other;\n"
             "st.release.gpu.global.u32 [%flags+4], %r1;\n"
             "setp.lt.u32 %q, %r1, 1000;\n@%q bra second;\ndone:",
             "", 1, 64, 1000000);
  EXPECT_EQ(found.text(), Report().text());
}

TEST(Spin, NamesTheCounterItsValueAndItsSignals) {
  expectDeadlock(
      report(counter, "//@ tensor Done 4 pointer 0 strides 1\n"),
      {"Nearest cause: Done[1] is 1 and has to be at least 2; it was signalled "
       "1 time, which is too few; no thread that is left can come to a signal",
       "was the last to signal it here, where that happened 1 time"});
}

TEST(Spin, NamesTheAllocationWithoutNotes) {
  expectDeadlock(report(counter),
                 {"byte 4 of the global allocation of 16 bytes"});
}

TEST(Spin, NamesTheElementOfRows) {
  expectDeadlock(report(counter, "//@ tensor Done 2 pointer 0 strides 2 1\n"),
                 {"Done[1, 0] is 1"});
}

// Of CTAs that wait in the same way, each for a word of its own, the first.
TEST(Spin, IsToldOnceForAllCtas) {
  const std::string text =
      report("and.b32 %r1, %cta, 3;\nmad.wide.u32 %d0, %r1, 4, %flags;\n"
             "wait: ld.acquire.gpu.global.u32 %r0, [%d0];\n"
             "setp.eq.u32 %q, %r0, 0;\n@%q bra wait;",
             "//@ tensor Done 4 pointer 0 strides 1\n", 12)
          .text();
  EXPECT_NE(text.find("Done[0], which is 0, is other than 0; so it is in 9 "
                      "other CTAs"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("Done[3], which"), std::string::npos) << text;
}

TEST(Spin, TellsOfASignalThatNobodyCameTo) {
  expectDeadlock(
      report("setp.ne.u32 %p, %cta, 7;\n@%p bra wait;\n"
             "st.release.gpu.global.u32 [%flags], 1;\n"
             "wait: ld.acquire.gpu.global.u32 %r0, [%flags];\n"
             "setp.eq.u32 %q, %r0, 0;\n@%q bra wait;"),
      {"is 0 and has to be other than 0; nobody has signalled it; no thread",
       "nobody has come to this, which could signal it"});
}

TEST(Spin, TellsOfASignalElsewhereAndOfWhoWaitsHimself) {
  // Each CTA waits for the word that the other sets behind its own wait.
  expectDeadlock(
      report("mad.wide.u32 %d0, %cta, 4, %flags;\n"
             "xor.b32 %r1, %cta, 1;\nmad.wide.u32 %d1, %r1, 4, %flags;\n"
             "st.release.gpu.global.u32 [%flags+12], 1;\n"
             "wait: ld.acquire.gpu.global.u32 %r0, [%d0];\n"
             "setp.ne.u32 %q, %r0, 1;\n@%q bra wait;\n"
             "atom.add.release.gpu.global.u32 %r2, [%d1], 1;"),
      {"has to be equal to 1",
       "warp 0 of CTA (1,0,0) could still come to a "
       "signal, and waits itself",
       "were signalled here 64 times, but not this"});
}

// As a role awaits a counter: one thread looks, the others come to a barrier,
// and a signal stands behind it.
TEST(Spin, IsTheCauseOfWhatComesToABarrierMeanwhile) {
  expectDeadlock(
      report("setp.ne.u32 %p, %t, 0;\n@%p bra met;\n"
             "wait: ld.acquire.gpu.global.b32 %r0, [%flags];\n"
             "setp.lt.s32 %q, %r0, 1;\n@%q bra wait;\n"
             "met: bar.warp.sync -1;\nbar.sync 1, 128;\n"
             "@%p bra done;\n"
             "red.release.gpu.global.add.u32 [%flags], 1;\ndone:",
             "//@ tensor Done 4 pointer 0 strides 1\n", 1, 128),
      {"Nearest cause: Done[0] is 0 and has to be at least 1; nobody has "
       "signalled it",
       "nobody has come to this, which could signal it"});
}

TEST(Spin, OfALockThatIsNotGivenBack) {
  expectDeadlock(
      report("again: atom.cas.acquire.gpu.global.b32 %r0, [%flags], 0, 1;\n"
             "setp.ne.s32 %q, %r0, 0;\n@%q bra again;"),
      {"is 1 and has to be equal to 0"});
}

TEST(Spin, CountsItsTries) {
  expectDeadlock(
      report("mov.u32 %r1, 0;\n"
             "wait: add.u32 %r1, %r1, 1;\nmul.lo.u32 %r2, %r1, 3;\n"
             "ld.volatile.global.u32 %r0, [%flags];\n"
             "setp.eq.u32 %q, %r0, 0;\n@%q bra wait;\n"
             "st.global.u32 [%flags+8], %r2;"),
      {"repeat a loop until byte 0 of the global allocation", "other than 0"});
}

TEST(Spin, LooksAtTheClock) {
  expectDeadlock(report("wait: mov.u64 %d1, %clock64;\n"
                        "ld.volatile.global.u32 %r0, [%flags];\n"
                        "setp.eq.u32 %q, %r0, 0;\n@%q bra wait;"),
                 {"other than 0"});
}

TEST(Spin, LooksAtNoMemory) {
  expectDeadlock(report("forever: bra forever;"), {"it never ends"});
}

TEST(Spin, TestsABarrier) {
  expectDeadlock(
      report("setp.eq.u32 %p, %t, 0;\n"
             "@%p mbarrier.init.shared.b64 [bar], 3;\nbar.warp.sync -1;\n"
             "wait: mbarrier.test_wait.parity.shared.b64 %q, [bar], 0;\n"
             "@!%q bra wait;"),
      {"0 of 3 arrivals", "nobody has ever arrived on it"});
}

// CTA 0 counts for ever, in memory; the others wait at barriers and for it.
TEST(TimeLimit, TellsWhereEachWarpIs) {
  PtxRunner runner;
  runner.shape.grid = {300, 1, 1};
  runner.shape.block = {64, 1, 1};
  runner.options.timeLimit = std::chrono::milliseconds(300);
  runner.options.hostThreads = 2;
  runner.buffer(std::vector<uint32_t>(4));
  const auto reports = runner.run(kernelText(
      ".param .u64 flags_parameter",
      ".reg .pred %p; .reg .b32 %r<9>, %cta; .reg .b64 %flags;\n"
      "ld.param.u64 %flags, [flags_parameter];\nmov.u32 %cta, %ctaid.x;\n"
      "mov.u32 %r1, %tid.x;\nadd.u32 %cta, %cta, %r1;\n"
      "setp.ne.u32 %p, %cta, 0;\n@%p bra meet;\n"
      "again: red.relaxed.gpu.global.add.u32 [%flags], 1;\nbra again;\n"
      "meet: bar.sync 0;\nret;"));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_STREQ(name(reports[0].finding), "time limit") << reports[0].text();
  const std::string text = reports[0].text();
  for (const char *part :
       {"has not ended within its time limit of 300 ms",
        "executes instructions", "warp 1 of CTA (0,0,0) waits at barrier 0",
        "the launch ends here"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(TimeLimit, LeavesWhatEndsAlone) {
  EXPECT_EQ(report("st.global.u32 [%flags], 1;", "", 1).text(),
            Report().text());
}

} // namespace
} // namespace ashlar::sim
