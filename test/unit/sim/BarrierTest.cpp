// What is found wrong with the barriers of CTAs and clusters, with the members
// of warp instructions, and with setmaxnreg.
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

Report report(const std::string &lines, unsigned threads = 128,
              const std::string &directives = "") {
  PtxRunner runner;
  runner.shape.block = {threads, 1, 1};
  const auto reports =
      runner.run(".version 8.8\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry kernel()\n" +
                 directives +
                 "{\n.reg .pred %p, %q; .reg .b32 %t, %lane, %r<9>;\n"
                 "mov.u32 %t, %tid.x;\nmov.u32 %lane, %laneid;\n" +
                 lines + "\nret;\n}\n");
  return reports.empty() ? Report() : reports.front();
}

void expectFinding(const Report &report, Finding finding,
                   const std::string &part) {
  EXPECT_STREQ(name(report.finding), name(finding)) << report.text();
  EXPECT_NE(report.text().find(part), std::string::npos) << report.text();
}

TEST(Barrier, CountIsNoMultipleOfAWarp) {
  expectFinding(report("mov.u32 %r0, 40;\nbar.sync 1, %r0;"),
                Finding::barrierMisuse, "multiple of the warp size");
}

TEST(Barrier, NumberIsBeyondFifteen) {
  expectFinding(report("mov.u32 %r0, 16;\nbar.sync %r0;"),
                Finding::barrierMisuse, "0 to 15");
}

TEST(Barrier, CountsDiffer) {
  expectFinding(report("setp.ge.u32 %p, %t, 32;\n@%p bra more;\n"
                       "bar.sync 1, 64;\nbra done;\n"
                       "more: bar.sync 1, 128;\ndone:"),
                Finding::barrierMisuse, "all must give the same count");
}

TEST(Barrier, CountOfTheRoundBeforeIsTold) {
  expectFinding(report("setp.ge.u32 %p, %t, 64;\n@%p bra more;\n"
                       "bar.sync 1, 64;\nbra done;\n"
                       "more: bar.sync 1, 128;\ndone:"),
                Finding::deadlock, "completed with 64 threads");
}

TEST(Barrier, TwoThatAreTakenInDifferentOrdersAreNamed) {
  expectFinding(report("setp.ge.u32 %p, %t, 64;\n@%p bra other;\n"
                       "bar.sync 1, 128;\nbar.sync 2, 128;\nbra done;\n"
                       "other: bar.sync 2, 128;\nbar.sync 1, 128;\ndone:"),
                Finding::deadlock,
                "waits at barrier 2: roles come to barriers in different "
                "orders");
}

TEST(Barrier, WaitsForMoreThreadsThanTheCtaHas) {
  expectFinding(report("bar.sync 1, 256;"), Finding::barrierMisuse,
                "it can't complete");
}

TEST(Barrier, ArrivesTwice) {
  expectFinding(report("setp.ge.u32 %p, %t, 32;\n@%p exit;\n"
                       "bar.arrive 1, 96;\nbar.arrive 1, 96;"),
                Finding::barrierMisuse, "a second time");
}

TEST(Barrier, ReductionAndSyncAreMixed) {
  expectFinding(report("setp.ge.u32 %p, %t, 64;\n@%p bra other;\n"
                       "bar.sync 1, 128;\nbra done;\n"
                       "other: bar.red.popc.u32 %r0, 1, 128, %p;\ndone:"),
                Finding::barrierMisuse, "different numbers");
}

TEST(Barrier, MissingThreadsAreNamed) {
  expectFinding(report("setp.ge.u32 %p, %t, 96;\n@%p exit;\n"
                       "bar.sync 1, 128;"),
                Finding::deadlock, "96 of 128 threads have arrived");
}

TEST(ClusterBarrier, WaitsWithoutArriving) {
  expectFinding(report("barrier.cluster.wait;"), Finding::barrierMisuse,
                "without having arrived");
}

TEST(ClusterBarrier, ArrivesTwice) {
  expectFinding(report("barrier.cluster.arrive;\nsetp.ne.u32 %p, %t, 0;\n"
                       "@%p bra done;\nbarrier.cluster.arrive;\ndone:"),
                Finding::barrierMisuse, "arrives twice");
}

TEST(MemberMask, LaneIsNotInItsOwn) {
  expectFinding(report("vote.sync.any.pred %p, %q, 0xffff;"),
                Finding::divergent, "lane 16");
}

TEST(MemberMask, LanesOfOneMaskGiveAnother) {
  expectFinding(report("mov.u32 %r0, -1;\nsetp.eq.u32 %p, %lane, 3;\n"
                       "selp.b32 %r0, 0xff, -1, %p;\n"
                       "vote.sync.any.pred %p, %q, %r0;"),
                Finding::divergent, "different membermasks");
}

TEST(MemberMask, LaneNeverComes) {
  expectFinding(report("setp.eq.u32 %p, %lane, 3;\n@%p bra other;\n"
                       "bar.warp.sync -1;\nbra done;\n"
                       "other: bar.sync 0;\ndone:"),
                Finding::divergent, "");
}

// A lane that waits for memory is no divergence of those that wait for it.
TEST(MemberMask, LaneWaitsForMemory) {
  expectFinding(
      report(".shared .align 4 .b32 flag;\nsetp.eq.u32 %q, %lane, 3;\n"
             "@%q st.shared.b32 [flag], 0;\nsetp.ne.u32 %p, %lane, 3;\n"
             "@%p bra together;\n"
             "again: ld.relaxed.cta.shared.b32 %r1, [flag];\n"
             "setp.eq.u32 %q, %r1, 0;\n@%q bra again;\n"
             "together: bar.sync 0;",
             32),
      Finding::deadlock, "no thread can go on");
}

TEST(SetMaxRegisters, IncreasesBeyondTheFile) {
  expectFinding(report("setmaxnreg.inc.sync.aligned.u32 240;", 256,
                       ".maxntid 256, 1, 1\n.maxnreg 64\n"),
                Finding::registerLimit, "can never succeed");
}

TEST(SetMaxRegisters, WaitsForRegistersThatNobodyGivesUp) {
  expectFinding(report("setp.lt.u32 %p, %t, 128;\n@%p exit;\n"
                       "setmaxnreg.inc.sync.aligned.u32 96;",
                       256, ".maxntid 256, 1, 1\n.maxnreg 64\n"),
                Finding::deadlock, "setmaxnreg.inc to 96");
}

TEST(SetMaxRegisters, IsTheNearestCauseOfWhatWaitsBehindIt) {
  expectFinding(
      report(".shared .align 8 .b64 bar;\nsetp.eq.u32 %q, %t, 0;\n"
             "@%q mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n"
             "setp.lt.u32 %p, %t, 128;\n@%p bra again;\n"
             "setmaxnreg.inc.sync.aligned.u32 96;\n"
             "mbarrier.arrive.shared.b64 _, [bar];\nbra done;\n"
             "again: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n"
             "@!%p bra again;\ndone:",
             256, ".maxntid 256, 1, 1\n.maxnreg 64\n"),
      Finding::deadlock, "Nearest cause: the pool lacks 1024 registers");
}

// The idle warps of Triton's kernels have one of their own.
TEST(SetMaxRegisters, IsAnotherInstructionForTheSameInAWarp) {
  const std::string limits = ".maxntid 256, 1, 1\n.minnctapersm 1\n";
  auto twice = [](const std::string &one, const std::string &other) {
    return "setp.lt.u32 %p, %t, 32;\n@%p bra first;\n" + other +
           "\nbra done;\nfirst: " + one + "\ndone:";
  };
  const std::string lower = "setmaxnreg.dec.sync.aligned.u32 40;";
  const Report same = report(twice(lower, lower), 256, limits);
  expectFinding(same, Finding::divergent, "both ask for 40 registers");
  EXPECT_TRUE(same.isHarmless);
  EXPECT_FALSE(same.isEnd);
  const Report different =
      report(twice(lower, "setmaxnreg.dec.sync.aligned.u32 24;"), 256, limits);
  expectFinding(different, Finding::divergent, "execute different setmaxnreg");
  EXPECT_TRUE(different.isEnd);
}

TEST(SetMaxRegisters, DecreasesToMore) {
  expectFinding(report("setmaxnreg.dec.sync.aligned.u32 240;", 384,
                       ".maxntid 384, 1, 1\n.minnctapersm 1\n"),
                Finding::registerLimit, "has 168");
}

// As ptxas 13.0 -v tells the registers of such kernels.
TEST(SetMaxRegisters, AreThoseThatPtxasStartsTheKernelWith) {
  const std::string increase = "setmaxnreg.inc.sync.aligned.u32 248;",
                    decrease = "setmaxnreg.dec.sync.aligned.u32 248;";
  const std::string limits = ".maxntid 256, 1, 1\n.minnctapersm 1\n";
  // ptxas ignores setmaxnreg where nothing bounds the blocks of an SM.
  for (const char *directives : {"", ".maxntid 256, 1, 1\n"})
    EXPECT_EQ(report(increase, 256, directives).text(), Report().text());
  EXPECT_EQ(report(increase, 256, limits).text(), Report().text());
  EXPECT_EQ(report(decrease, 256, limits).text(), Report().text());
  // 168 a thread, as of 384.
  expectFinding(report(increase, 288, ".maxntid 288, 1, 1\n.minnctapersm 1\n"),
                Finding::deadlock, "for 2560 registers"); // 80 a thread
  expectFinding(report(increase, 256,
                       ".maxntid 256, 1, 1\n.minnctapersm 1\n.maxnreg 90\n"),
                Finding::registerLimit, "(96 a thread)");
  expectFinding(report("setmaxnreg.inc.sync.aligned.u32 240;\n"
                       "setmaxnreg.inc.sync.aligned.u32 232;",
                       256, limits),
                Finding::registerLimit, "the warp has 240");
}

// Those that a function asks for count for its callers.
TEST(SetMaxRegisters, AreSetInAFunction) {
  PtxRunner runner;
  runner.shape.block = {256, 1, 1};
  const auto reports = runner.run(
      ".version 8.8\n.target sm_90a\n.address_size 64\n"
      ".func f()\n{\nsetmaxnreg.inc.sync.aligned.u32 240;\nret;\n}\n"
      ".visible .entry kernel() .maxntid 256, 1, 1\n.minnctapersm 1\n"
      "{\nsetmaxnreg.dec.sync.aligned.u32 248;\ncall f, ();\nret;\n}\n");
  ASSERT_EQ(reports.size(), 1u);
  expectFinding(reports[0], Finding::registerLimit, "the warp has 240");
}

TEST(Trap, EndsTheLaunch) {
  expectFinding(report("trap;"), Finding::trap, "trap");
}

TEST(Assertion, TellsWhereItFailed) {
  PtxRunner runner;
  const auto reports = runner.run(kernelText(
      "",
      ".reg .b64 %d<4>;\nmov.u64 %d0, text;\ncvta.global.u64 %d0, %d0;\n"
      "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d;\n"
      ".param .b64 e;\nst.param.b64 [a], %d0; st.param.b64 [b], %d0;\n"
      "st.param.b32 [c], 17; st.param.b64 [d], %d0; st.param.b64 [e], 1;\n"
      "call.uni __assertfail, (a, b, c, d, e); }\nret;",
      ".extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 "
      "c, .param .b64 d, .param .b64 e);\n"
      ".global .align 1 .b8 text[] = {120, 62, 48, 0};"));
  ASSERT_EQ(reports.size(), 1u);
  expectFinding(reports[0], Finding::assertion,
                "assertion 'x>0' failed in x>0 (x>0:17)");
}

} // namespace
} // namespace ashlar::sim
