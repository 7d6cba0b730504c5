// What is found wrong with mbarriers, and what a deadlock on one says.
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

constexpr const char *declarations = ".shared .align 8 .b64 bar[4];";

/// The first report of a kernel of the lines, in a register file with %t, the
/// predicate %first (thread 0) and others to use.
Report report(const std::string &lines, unsigned threads = 64,
              unsigned cluster = 1) {
  PtxRunner runner;
  runner.shape.block = {threads, 1, 1};
  runner.shape.grid = runner.shape.cluster = {cluster, 1, 1};
  const auto reports = runner.run(kernelText(
      "",
      ".reg .pred %first, %p, %q; .reg .b32 %t, %r<9>; .reg .b64 %d<9>;\n"
      "mov.u32 %t, %tid.x;\nsetp.eq.u32 %first, %t, 0;\n" +
          lines + "\nret;",
      declarations));
  return reports.empty() ? Report() : reports.front();
}

void expectFinding(const Report &report, Finding finding,
                   const std::string &part) {
  EXPECT_STREQ(name(report.finding), name(finding)) << report.text();
  EXPECT_NE(report.text().find(part), std::string::npos) << report.text();
}

const std::string initialise =
    "@%first mbarrier.init.shared.b64 [bar], 2;\nbar.sync 0;\n";

TEST(Mbarrier, IsMissing) {
  expectFinding(report("mbarrier.arrive.shared.b64 %d0, [bar];"),
                Finding::mbarrierMisuse, "there is no mbarrier");
}

TEST(Mbarrier, IsInitialisedElsewhere) {
  expectFinding(report(initialise + "mbarrier.arrive.shared.b64 %d0, [bar+8];"),
                Finding::mbarrierMisuse, "the nearest one is");
}

TEST(Mbarrier, IsMisaligned) {
  expectFinding(report("@%first mbarrier.init.shared.b64 [bar+4], 2;"),
                Finding::mbarrierMisuse, "multiple of 8");
}

TEST(Mbarrier, HasNoCount) {
  expectFinding(report("mov.u32 %r0, 0;\n"
                       "@%first mbarrier.init.shared.b64 [bar], %r0;"),
                Finding::mbarrierMisuse, "1 to 1048575");
}

TEST(Mbarrier, IsUsedWithoutBeingOrderedAfterItsInitialisation) {
  expectFinding(
      report("@%first mbarrier.init.shared.b64 [bar], 64;\n"
             "bar.warp.sync -1;\nmbarrier.arrive.shared.b64 %d0, [bar];"),
      Finding::mbarrierMisuse, "without being ordered");
}

TEST(Mbarrier, GetsMoreArrivalsThanItsCount) {
  expectFinding(
      report(initialise + "@%first mbarrier.arrive.shared.b64 %d0, [bar], 3;"),
      Finding::mbarrierMisuse, "more arrive than the count");
}

TEST(Mbarrier, ExpectsTooManyBytes) {
  expectFinding(report(initialise +
                       "@%first mbarrier.expect_tx.shared.b64 [bar], 1048575;\n"
                       "@%first mbarrier.expect_tx.shared.b64 [bar], 1;"),
                Finding::mbarrierMisuse, "beyond 1048575");
}

TEST(Mbarrier, IsInitialisedTwice) {
  expectFinding(
      report(initialise + "@%first mbarrier.init.shared.b64 [bar], 2;"),
      Finding::mbarrierMisuse, "initialised twice");
}

TEST(Mbarrier, IsInitialisedAgainInFlight) {
  expectFinding(report(initialise +
                       "@%first mbarrier.arrive.shared.b64 %d0, [bar];\n"
                       "@%first mbarrier.init.shared.b64 [bar], 2;"),
                Finding::mbarrierMisuse, "while it is in use");
}

TEST(Mbarrier, IsInvalidatedInFlight) {
  expectFinding(report(initialise +
                       "@%first mbarrier.arrive.shared.b64 %d0, [bar];\n"
                       "@%first mbarrier.inval.shared.b64 [bar];"),
                Finding::mbarrierMisuse, "is invalidated while");
}

TEST(Mbarrier, NoCompleteEndsThePhase) {
  expectFinding(
      report(initialise +
             "@%first mbarrier.arrive.noComplete.shared.b64 %d0, [bar], 2;"),
      Finding::mbarrierMisuse, ".noComplete");
}

TEST(Mbarrier, StateIsTooOld) {
  expectFinding(report(initialise +
                       "@!%first bra done;\n"
                       "mbarrier.arrive.shared.b64 %d0, [bar], 2;\n"
                       "mbarrier.arrive.shared.b64 %d1, [bar], 2;\n"
                       "mbarrier.test_wait.shared.b64 %p, [bar], %d0;\n"
                       "done:"),
                Finding::mbarrierMisuse, "state is of phase 0");
}

TEST(Mbarrier, RemoteOneIsNotOrderedAfterItsInitialisation) {
  expectFinding(
      report("@%first mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\n"
             "mov.u32 %r0, bar;\nmov.u32 %r1, %cluster_ctarank;\n"
             "xor.b32 %r1, %r1, 1;\n"
             "mapa.shared::cluster.u32 %r2, %r0, %r1;\n"
             "@%first mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
             "[%r2];",
             64, 2),
      Finding::mbarrierMisuse, "");
}

const std::string wait = "again: mbarrier.try_wait.parity.shared.b64 %p, "
                         "[bar], 0;\n@!%p bra again;\n";

TEST(MbarrierDeadlock, TellsWhichArrivalsAreMissing) {
  const Report found = report(
      initialise + "@%first mbarrier.arrive.shared.b64 %d0, [bar];\n" + wait);
  expectFinding(found, Finding::deadlock, "1 of 2 arrivals");
  expectFinding(found, Finding::deadlock, "1 arrival of 2 is missing");
}

TEST(MbarrierDeadlock, TellsOfBytesThatNeverCome) {
  expectFinding(
      report(initialise +
             "@%first mbarrier.arrive.expect_tx.shared.b64 %d0, [bar], 64;\n"
             "@%first mbarrier.arrive.shared.b64 %d0, [bar];\n"
             "@%first mbarrier.complete_tx.shared.b64 [bar], 48;\n" +
             wait),
      Finding::deadlock, "16 bytes never come");
}

TEST(MbarrierDeadlock, TellsOfBytesBeyondTheExpected) {
  expectFinding(
      report(initialise +
             "@%first mbarrier.arrive.expect_tx.shared.b64 %d0, [bar], 64;\n"
             "@%first mbarrier.complete_tx.shared.b64 [bar], 80;\n"
             "@%first mbarrier.arrive.shared.b64 %d0, [bar];\n" +
             wait),
      Finding::deadlock, "16 bytes more than expected");
}

TEST(MbarrierDeadlock, TellsOfAWrongParity) {
  expectFinding(report(initialise +
                       "@%first mbarrier.arrive.shared.b64 %d0, [bar], 2;\n"
                       "again: mbarrier.try_wait.parity.shared.b64 %p, "
                       "[bar], 1;\n@!%p bra again;\n"),
                Finding::deadlock, "wrong parity");
}

TEST(Mbarrier, FirstWaitOnParityOnePasses) {
  EXPECT_EQ(report(initialise +
                   "again: mbarrier.try_wait.parity.shared.b64 %p, [bar], 1;\n"
                   "@!%p bra again;\n")
                .text(),
            Report().text());
}

TEST(Mbarrier, ParityIsTheLowestBitOfACounter) {
  const std::string waitFor = "mov.u32 %r0, PHASE;\n"
                              "again: mbarrier.try_wait.parity.shared.b64 %p, "
                              "[bar], %r0;\n@!%p bra again;\n";
  auto waiting = [&](const std::string &phase) {
    std::string lines = initialise + waitFor;
    return lines.replace(lines.find("PHASE"), 5, phase);
  };
  EXPECT_EQ(report(waiting("3")).text(), Report().text());
  expectFinding(report(waiting("2")), Finding::deadlock, "0 of 2 arrivals");
}

} // namespace
} // namespace ashlar::sim
