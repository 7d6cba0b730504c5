// Races, fences and faults of loads and stores, in whole kernels.
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

const char *const registers = "  .reg .pred %p<8>;\n  .reg .b16 %h<8>;\n"
                              "  .reg .b32 %r<16>;\n  .reg .b64 %rd<16>;\n"
                              "  mov.u32 %r1, %tid.x;\n"
                              "  shl.b32 %r2, %r1, 2;\n";
const char *const shared = ".shared .align 16 .b8 memory[1024];\n";

/// Runs a kernel of two warps whose parameter is a buffer of 1024 words.
std::vector<Report> run(const std::string &body, uint32_t threads = 64,
                        uint32_t blocks = 1, uint64_t seed = 0) {
  PtxRunner runner;
  runner.shape.block.x = threads;
  runner.shape.grid.x = blocks;
  runner.options.seed = seed;
  runner.options.hostThreads = 1;
  runner.buffer(std::vector<uint32_t>(1024, 0));
  return runner.run(kernelText(".param .u64 buffer",
                               std::string(registers) +
                                   "  ld.param.u64 %rd1, [buffer];\n"
                                   "  cvt.u64.u32 %rd2, %r2;\n"
                                   "  add.u64 %rd3, %rd1, %rd2;\n" +
                                   body + "  ret;\n",
                               shared));
}

void expectOne(const std::vector<Report> &reports, Finding finding) {
  ASSERT_EQ(reports.size(), 1u) << text(reports);
  EXPECT_EQ(reports[0].finding, finding) << text(reports);
}

const std::string storeOwn = "  mov.u32 %r3, memory;\n"
                             "  add.u32 %r3, %r3, %r2;\n"
                             "  st.shared.u32 [%r3], %r1;\n";
const std::string loadOther = "  xor.b32 %r4, %r3, 128;\n"
                              "  ld.shared.u32 %r5, [%r4];\n";

TEST(MemoryOrder, ReadOfAnotherWarpsValueWithoutABarrierIsARace) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    auto reports = run(storeOwn + loadOther, 64, 1, seed);
    ASSERT_FALSE(reports.empty()) << seed;
    for (const Report &report : reports)
      EXPECT_TRUE(report.finding == Finding::race ||
                  report.finding == Finding::uninitialised)
          << report.text();
  }
}

TEST(MemoryOrder, ReadBehindABarrierIsFine) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    auto reports = run(storeOwn + "  bar.sync 0;\n" + loadOther, 64, 1, seed);
    EXPECT_TRUE(reports.empty()) << text(reports);
  }
}

TEST(MemoryOrder, OverwriteOfWhatIsStillReadIsARace) {
  auto reports = run(storeOwn + "  bar.sync 0;\n" + loadOther +
                     "  st.shared.u32 [%r3], %r5;\n");
  expectOne(reports, Finding::race);
  EXPECT_EQ(reports[0].sites.size(), 2u);
}

TEST(MemoryOrder, LanesOfAWarpNeedAWarpBarrier) {
  const std::string loadNeighbour = "  xor.b32 %r4, %r3, 4;\n"
                                    "  ld.shared.u32 %r5, [%r4];\n";
  expectOne(run(storeOwn + loadNeighbour), Finding::race);
  auto reports = run(storeOwn + "  bar.warp.sync -1;\n" + loadNeighbour);
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(MemoryOrder, LanesThatStoreDifferentValuesAtOnceRace) {
  expectOne(run("  st.shared.u32 [memory], %r1;\n", 32), Finding::race);
  auto reports = run("  st.shared.u32 [memory], 5;\n", 32);
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(MemoryOrder, WarpsThatStoreTheSameDoNotRace) {
  for (const std::string store :
       {"  st.shared.u32 [memory], 5;\n", "  st.shared.u16 [memory], 5;\n",
        "  st.shared.v4.u32 [memory], {1, 2, 3, 4};\n",
        // Each warp the same line.
        "  and.b32 %r4, %r2, 127;\n  mov.u32 %r3, memory;\n"
        "  add.u32 %r3, %r3, %r4;\n  st.shared.u32 [%r3], %r4;\n"})
    for (uint64_t seed = 0; seed < 6; ++seed) {
      auto reports =
          run(store + "  bar.sync 0;\n  ld.shared.u16 %h1, [memory];\n", 128, 1,
              seed);
      EXPECT_TRUE(reports.empty()) << store << text(reports);
    }
  // CTAs, too.
  auto reports = run("  st.global.u32 [%rd3], 5;\n", 64, 4);
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(MemoryOrder, WarpsThatStoreDifferentValuesRace) {
  const std::string warp = "  shr.u32 %r4, %r1, 5;\n";
  expectOne(run(warp + "  st.shared.u32 [memory], %r4;\n"), Finding::race);
  // One word of four differs.
  expectOne(run(warp + "  st.shared.v4.u32 [memory], {1, 2, 3, %r4};\n"),
            Finding::race);
  // The second store of the same is not the last.
  const std::string both = "  st.shared.u32 [memory], 5;\n"
                           "  setp.gt.u32 %p1, %r1, 63;\n"
                           "  @%p1 st.shared.u32 [memory], 6;\n";
  for (uint64_t seed = 0; seed < 6; ++seed)
    EXPECT_FALSE(run(both, 96, 1, seed).empty()) << seed;
}

// Warp 1 tells warp 2 that it has stored; warp 0, which stores the same, tells
// nobody.
TEST(MemoryOrder, ReaderMustBeOrderedAfterAllThatStoreTheSame) {
  const std::string reads = "  setp.lt.u32 %p1, %r1, 64;\n"
                            "  @%p1 st.shared.u32 [memory], 5;\n"
                            "  setp.lt.u32 %p2, %r1, 32;\n"
                            "  @%p2 bra done;\n"
                            "  bar.sync 1, 64;\n"
                            "  @%p1 bra done;\n"
                            "  ld.shared.u32 %r5, [memory];\n"
                            "done:\n";
  for (uint64_t seed = 0; seed < 6; ++seed)
    expectOne(run(reads, 96, 1, seed), Finding::race);
}

TEST(MemoryOrder, LanesThatStoreTheSameReadTheirOwnBack) {
  auto reports = run("  st.shared.u32 [memory], 5;\n"
                     "  ld.shared.u32 %r5, [memory];\n",
                     32);
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(MemoryOrder, AtomicOperationsDoNotRace) {
  auto reports = run("  red.global.add.u32 [%rd1], %r1;\n"
                     "  atom.global.max.u32 %r5, [%rd1], %r1;\n",
                     64, 4);
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(MemoryOrder, AtomicsOfCtaScopeRaceBetweenCtas) {
  expectOne(run("  red.relaxed.cta.global.add.u32 [%rd1], %r1;\n", 32, 2),
            Finding::race);
}

TEST(MemoryOrder, AWeakReadOfAnAtomicallyChangedPlaceRaces) {
  expectOne(run("  setp.lt.u32 %p1, %r1, 32;\n"
                "  @%p1 red.global.add.u32 [%rd1], %r1;\n"
                "  @!%p1 ld.global.u32 %r5, [%rd1];\n"),
            Finding::race);
}

/// CTA 1 polls a flag at word 512 that CTA 0 sets behind its data.
std::string handOver(const std::string &publish, const std::string &poll) {
  return "  mov.u32 %r6, %ctaid.x;\n"
         "  setp.eq.u32 %p1, %r6, 0;\n"
         "  @!%p1 bra receive;\n"
         "  st.global.u32 [%rd3], 7;\n" +
         publish + "  bra.uni done;\nreceive:\n" + poll +
         "  setp.eq.u32 %p2, %r7, 0;\n"
         "  @%p2 bra receive;\n"
         "  ld.global.u32 %r8, [%rd3];\n"
         "done:\n";
}

TEST(MemoryOrder, ReleaseAndAcquireHandOver) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    auto reports =
        run(handOver("  st.release.gpu.global.u32 [%rd3+2048], 1;\n",
                     "  ld.acquire.gpu.global.u32 %r7, [%rd3+2048];\n"),
            32, 2, seed);
    EXPECT_TRUE(reports.empty()) << text(reports);
  }
}

TEST(MemoryOrder, RelaxedAccessesWithFencesHandOver) {
  auto reports = run(handOver("  fence.acq_rel.gpu;\n"
                              "  st.relaxed.gpu.global.u32 [%rd3+2048], 1;\n",
                              "  ld.relaxed.gpu.global.u32 %r7, [%rd3+2048];\n"
                              "  fence.acq_rel.gpu;\n"),
                     32, 2);
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(MemoryOrder, AtomicsWithAMembarHandOver) {
  auto reports = run(handOver("  membar.gl;\n"
                              "  red.global.add.u32 [%rd3+2048], 1;\n",
                              "  atom.global.or.b32 %r7, [%rd3+2048], 0;\n"
                              "  membar.gl;\n"),
                     32, 2);
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(MemoryOrder, RelaxedAccessesAloneDoNotHandOver) {
  expectOne(run(handOver("  st.relaxed.gpu.global.u32 [%rd3+2048], 1;\n",
                         "  ld.relaxed.gpu.global.u32 %r7, [%rd3+2048];\n"),
                32, 2),
            Finding::race);
  expectOne(run(handOver("  fence.acq_rel.gpu;\n"
                         "  st.relaxed.gpu.global.u32 [%rd3+2048], 1;\n",
                         "  ld.relaxed.gpu.global.u32 %r7, [%rd3+2048];\n"),
                32, 2),
            Finding::race);
}

TEST(MemoryOrder, ThePolledFlagMayBeResetPlainly) {
  auto reports = run(handOver("  st.release.gpu.global.u32 [%rd3+2048], 1;\n",
                              "  ld.relaxed.gpu.global.u32 %r7, [%rd3+2048];\n"
                              "  setp.ne.u32 %p3, %r7, 0;\n"
                              "  @%p3 st.global.u32 [%rd3+2048], 0;\n"
                              "  fence.acq_rel.gpu;\n"),
                     32, 2);
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(MemoryFaults, OutOfBoundsNamesTheAllocation) {
  auto reports = run("  ld.global.u32 %r5, [%rd1+4108];\n", 32);
  expectOne(reports, Finding::outOfBounds);
  EXPECT_NE(reports[0].sentence.find(
                "12 bytes behind the end of the global allocation of 4096"),
            std::string::npos)
      << reports[0].sentence;
}

TEST(MemoryFaults, NullPointerIsOutOfBounds) {
  expectOne(run("  mov.u64 %rd4, 0;\n  ld.global.u32 %r5, [%rd4];\n", 32),
            Finding::outOfBounds);
}

TEST(MemoryFaults, SharedMemoryEndsWhereItEnds) {
  expectOne(run("  ld.shared.u32 %r5, [memory+1024];\n", 32),
            Finding::outOfBounds);
  expectOne(run("  mov.u32 %r4, 16;\n  ld.shared.u32 %r5, [%r4];\n", 32),
            Finding::outOfBounds);
}

TEST(MemoryFaults, MisalignedAccessIsFound) {
  expectOne(run("  ld.global.u32 %r5, [%rd1+2];\n", 32), Finding::misaligned);
  expectOne(run("  ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+8];\n", 32),
            Finding::misaligned);
}

TEST(MemoryFaults, UninitialisedReadsAreFoundOnce) {
  expectOne(run("  ld.shared.u32 %r5, [memory];\n"), Finding::uninitialised);
  PtxRunner runner;
  runner.uninitialisedBuffer(256);
  auto reports = runner.run(
      kernelText(".param .u64 buffer", std::string(registers) +
                                           "  ld.param.u64 %rd1, [buffer];\n"
                                           "  st.global.u8 [%rd1], 1;\n"
                                           "  ld.global.u8 %r5, [%rd1];\n"
                                           "  ld.global.u16 %r5, [%rd1];\n"
                                           "  ret;\n"));
  expectOne(reports, Finding::uninitialised);
}

TEST(MemoryFaults, AnMbarrierIsNotOrdinaryMemory) {
  expectOne(run("  setp.eq.u32 %p1, %r1, 0;\n"
                "  @%p1 mbarrier.init.shared.b64 [memory], 1;\n"
                "  @%p1 ld.shared.u32 %r5, [memory+4];\n"
                "  st.shared.u32 [memory+8], 1;\n",
                32),
            Finding::mbarrierMisuse);
}

TEST(MemoryDecoding, RefusesWhatPtxForbids) {
  for (const char *instruction :
       {"ld.relaxed.global.u32 %r5, [%rd1];",
        "ld.global.f16 %h1, [%rd1];",
        "ld.global.gpu.u32 %r5, [%rd1];",
        "st.const.u32 [%rd1], %r5;",
        "ld.volatile.global.ca.u32 %r5, [%rd1];",
        "ld.global.nonsense.u32 %r5, [%rd1];",
        "ld.global.u32 %h1, [%rd1];",
        "ld.global.v2.u32 %r5, [%rd1];",
        "ld.global.u32.u32 %r5, [%rd1];",
        "st.acquire.gpu.global.u32 [%rd1], %r5;",
        "ld.release.gpu.global.u32 %r5, [%rd1];",
        "atom.global.add.s64 %rd4, [%rd1], %rd2;",
        "atom.global.min.f32 %r5, [%rd1], %r4;",
        "atom.global.add.f16 %h1, [%rd1], %h2;",
        "red.acq_rel.gpu.global.add.u32 [%rd1], %r5;",
        "red.global.exch.b32 [%rd1], %r5;",
        "atom.shared.add.v2.f32 {%r5, %r6}, [%r1], {%r5, %r6};",
        "atom.local.add.u32 %r5, [%rd1], 1;",
        "discard.global.L2 [%rd1], 64;",
        "multimem.st.relaxed.sys.global.u32 [%rd1], %r5;"})
    EXPECT_THROW(run(std::string("  ") + instruction + "\n"),
                 std::runtime_error)
        << instruction;
}

} // namespace
} // namespace ashlar::sim
