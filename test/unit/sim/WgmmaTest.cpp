// What the simulator finds around wgmma: each test plants one fault in a
// kernel that is right without it.

#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

/// One m64n8k16 of zeros, twice. The pieces stand where a test may change
/// them.
struct Pieces {
  std::string fill = "st.shared.b32 [%at], 0;\n"
                     "st.shared.b32 [%at+512], 0;\n"
                     "st.shared.b32 [%at+1024], 0;\n"
                     "st.shared.b32 [%at+1536], 0;\n"
                     "st.shared.b32 [%at+2048], 0;\n";
  std::string proxyFence = "fence.proxy.async.shared::cta;\n";
  std::string barrier = "bar.sync 0;\n";
  std::string fence = "wgmma.fence.sync.aligned;\n";
  std::string afterFence = "";
  std::string multiply = product("f", "%a", "%b");
  std::string secondMultiply = product("f", "%a", "%b");
  std::string commit = "wgmma.commit_group.sync.aligned;\n";
  std::string beforeWait = "";
  std::string wait = "wgmma.wait_group.sync.aligned 0;\n";
  std::string afterWait = "";
  // K-major, no swizzle: 64 x 16 of f16 at tile, 8 x 16 behind.
  uint64_t bitsA = uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
  uint64_t bitsB = uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;

  static std::string product(const std::string &d, const std::string &a,
                             const std::string &b) {
    return "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%" + d + "0, %" +
           d + "1, %" + d + "2, %" + d + "3}, " + a + ", " + b +
           ", 1, 1, 1, 0, 0;\n";
  }

  std::string text() const {
    auto descriptor = [](const char *name, unsigned offset, uint64_t bits) {
      return "add.u32 %word, %tile, " + std::to_string(offset) +
             ";\nshr.u32 %word, %word, 4;\ncvt.u64.u32 " + name +
             ", %word;\nor.b64 " + name + ", " + name + ", " +
             std::to_string(static_cast<int64_t>(bits)) + ";\n";
    };
    std::string zero;
    for (int i = 0; i < 4; ++i)
      zero += "mov.f32 %f" + std::to_string(i) + ", 0f00000000;\n";
    return kernelText(
        "",
        ".reg .f32 %f<8>;\n.reg .b32 %thread, %tile, %at, %word;\n"
        ".reg .b64 %a, %b;\n.reg .pred %p;\n"
        "mov.u32 %thread, %tid.x;\nmov.u32 %tile, tile;\n"
        "shl.b32 %at, %thread, 2;\nadd.u32 %at, %at, %tile;\n" +
            zero + fill + proxyFence + barrier + descriptor("%a", 0, bitsA) +
            descriptor("%b", 2048, bitsB) + fence + afterFence + multiply +
            secondMultiply + commit + beforeWait + wait + afterWait + "ret;",
        ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b64 bar;");
  }
};

std::vector<Report> run(const Pieces &pieces, unsigned threads = 128,
                        uint64_t seed = 0) {
  PtxRunner runner;
  runner.shape.block.x = threads;
  runner.options.seed = seed;
  return runner.run(pieces.text());
}

/// The first finding under each of some seeds; the sentence must hold `words`.
void expectFinding(const Pieces &pieces, Finding finding, const char *words,
                   unsigned threads = 128) {
  for (uint64_t seed : {0, 1, 2, 5}) {
    const auto reports = run(pieces, threads, seed);
    ASSERT_FALSE(reports.empty()) << "seed " << seed;
    EXPECT_EQ(name(reports[0].finding), std::string(name(finding)))
        << text(reports);
    EXPECT_NE(reports[0].sentence.find(words), std::string::npos)
        << text(reports);
  }
}

TEST(Wgmma, RightKernelGivesNoReport) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto reports = run({}, 128, seed);
    EXPECT_TRUE(reports.empty()) << text(reports);
  }
}

TEST(Wgmma, FenceIsMissing) {
  expectFinding({.fence = ""}, Finding::accumulatorTouched, "wgmma.fence");
}

TEST(Wgmma, AccumulatorIsWrittenAfterTheFence) {
  expectFinding({.afterFence = "add.f32 %f2, %f2, 0f3F800000;\n"},
                Finding::accumulatorTouched, "after the last wgmma.fence");
}

TEST(Wgmma, AccumulatorIsACopyOfWhatIsWrittenAfterTheFence) {
  expectFinding({.afterFence = "add.f32 %f4, %f2, 0f3F800000;\n"
                               "mov.f32 %f2, %f4;\n"},
                Finding::accumulatorTouched, "after the last wgmma.fence");
}

TEST(Wgmma, AccumulatorIsWrittenBehindALabelWithoutAFence) {
  expectFinding({.afterFence = "setp.lt.u32 %p, %thread, 1000;\n"
                               "@%p bra again;\nagain:\n"
                               "add.f32 %f2, %f2, 0f3F800000;\n"},
                Finding::accumulatorTouched, "after the last wgmma.fence");
}

TEST(Wgmma, AccumulatorMayBeCopiedAfterTheFence) {
  const auto reports = run({.afterFence = "mov.f32 %f4, %f2;\n"
                                          "mov.f32 %f2, %f4;\n"});
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST(Wgmma, AccumulatorIsWrittenAfterTheWaitWithoutAnotherFence) {
  Pieces pieces;
  pieces.afterWait = "setp.lt.u32 %p, %thread, 1000;\n"
                     "add.f32 %f1, %f1, 0f3F800000;\n"
                     "@%p bra again;\nagain:\n" +
                     pieces.multiply + pieces.commit + pieces.wait;
  expectFinding(pieces, Finding::accumulatorTouched,
                "since the last wgmma.fence");
}

TEST(Wgmma, AccumulatorIsReadBeforeTheWait) {
  expectFinding({.beforeWait = "mov.f32 %f5, %f3;\n"},
                Finding::accumulatorTouched, "wgmma.wait_group");
}

TEST(Wgmma, AccumulatorsOfTwoShapesOverlap) {
  Pieces pieces;
  pieces.secondMultiply = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                          "{%f2, %f3, %f4, %f5}, %a, %b, 1, 1, 1, 0, 0;\n";
  expectFinding(pieces, Finding::accumulatorTouched, "another shape");
}

TEST(Wgmma, CommitIsMissing) {
  expectFinding({.commit = ""}, Finding::unfinished, "wgmma.commit_group");
}

TEST(Wgmma, WaitIsMissing) {
  expectFinding({.wait = ""}, Finding::unfinished, "wgmma.wait_group");
}

TEST(Wgmma, ProxyFenceIsMissing) {
  expectFinding({.proxyFence = ""}, Finding::missingProxyFence, "");
}

TEST(Wgmma, BarrierIsMissing) {
  for (uint64_t seed : {0, 1, 2, 5})
    EXPECT_FALSE(run({.barrier = ""}, 128, seed).empty());
}

TEST(Wgmma, OperandIsOverwrittenBeforeTheWait) {
  // Which of the two comes first is the schedule's choice.
  for (uint64_t seed : {0, 1, 2, 5}) {
    const auto reports =
        run({.beforeWait = "st.shared.b32 [%at], 0;\n"}, 128, seed);
    EXPECT_TRUE(std::ranges::any_of(reports, [](const Report &report) {
      return report.finding == Finding::missingWait ||
             report.finding == Finding::race;
    })) << text(reports);
  }
}

// One thread frees the tile for the warpgroup; the other warps fill it again
// before their own wait.
TEST(Wgmma, OneWarpsWaitCoversTheReadsOfAllFour) {
  Pieces pieces;
  const std::string release = "setp.eq.u32 %p, %thread, 0;\n"
                              "@%p mbarrier.arrive.shared.b64 _, [bar];\n";
  const std::string refill =
      "setp.lt.u32 %p, %thread, 32;\n@%p bra done;\n"
      "again: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n"
      "@!%p bra again;\nst.shared.b32 [%at+2048], 0;\ndone:\n";
  pieces.fill += "setp.eq.u32 %p, %thread, 0;\n"
                 "@%p mbarrier.init.shared.b64 [bar], 1;\n";
  pieces.beforeWait = refill;
  pieces.afterWait = release;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto reports = run(pieces, 128, seed);
    EXPECT_TRUE(reports.empty()) << text(reports);
  }
  // Before its own wait the thread knows of nobody's reads.
  pieces.beforeWait = release + refill;
  pieces.afterWait = "";
  bool isFound = false;
  for (uint64_t seed = 0; seed < 20; ++seed)
    for (const Report &report : run(pieces, 128, seed))
      isFound |= report.finding == Finding::race;
  EXPECT_TRUE(isFound);
}

// Another warp has waited, and so has everybody for it.
TEST(Wgmma, AccumulatorNeedsTheWarpsOwnWait) {
  Pieces pieces;
  pieces.beforeWait = "setp.gt.u32 %p, %thread, 31;\n@%p bra meet;\n";
  pieces.afterWait = "meet: bar.sync 0;\nadd.f32 %f0, %f0, %f1;\n";
  for (uint64_t seed : {0, 1, 2, 5}) {
    bool isFound = false;
    for (const Report &report : run(pieces, 128, seed))
      isFound |= report.finding == Finding::accumulatorTouched;
    EXPECT_TRUE(isFound) << seed;
  }
}

TEST(Wgmma, OneWarpsWaitNeedsTheProductsOfAllFour) {
  Pieces pieces;
  pieces.afterFence = "setp.gt.u32 %p, %thread, 95;\n@!%p bra go;\n"
                      "bar.sync 1, 64;\ngo:\n";
  pieces.afterWait = "setp.lt.u32 %p, %thread, 32;\n@!%p bra done;\n"
                     "bar.sync 1, 64;\ndone:\n";
  expectFinding(pieces, Finding::deadlock, "warp 3 has not issued its part");
}

TEST(Wgmma, OperandWasNeverWritten) {
  expectFinding({.multiply = "",
                 .secondMultiply =
                     "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 "
                     "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %a, %b, 0, 1, "
                     "1, 0, 0;\n",
                 .bitsB = uint64_t(128 >> 4) << 16 | uint64_t(1024 >> 4) << 32},
                Finding::uninitialised, "nothing has written");
}

TEST(Wgmma, DescriptorLeadsOutOfSharedMemory) {
  expectFinding({.bitsA = uint64_t(128 >> 4) << 16 | uint64_t(8192 >> 4) << 32},
                Finding::invalidDescriptor, "ends at");
}

TEST(Wgmma, DescriptorHasReservedBits) {
  Pieces pieces;
  pieces.bitsA |= uint64_t(1) << 53;
  expectFinding(pieces, Finding::invalidDescriptor, "reserved");
}

TEST(Wgmma, DescriptorDiffersAmongLanes) {
  expectFinding({.afterFence = "cvt.u64.u32 %b, %thread;\n"},
                Finding::invalidDescriptor, "all lanes");
}

TEST(Wgmma, WarpsOfAWarpgroupDepart) {
  Pieces pieces;
  pieces.secondMultiply =
      "setp.lt.u32 %p, %thread, 96;\n@%p " + pieces.secondMultiply;
  expectFinding(pieces, Finding::divergent, "warpgroup");
}

TEST(Wgmma, WarpgroupIsNotWhole) {
  expectFinding({}, Finding::divergent, "multiple of 128 threads", 96);
}

std::string refusal(const std::string &instruction) {
  try {
    PtxRunner runner;
    GlobalMemory memory;
    load(kernelText("", ".reg .f32 %f<128>;\n.reg .b32 %r<128>;\n"
                        ".reg .b64 %a, %b;\n" +
                            instruction + ";\nret;"),
         "t", memory);
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

TEST(Wgmma, FormsThatDoNotExistAreRefused) {
  const std::string start = "wgmma.mma_async.sync.aligned.";
  auto expect = [&](const std::string &rest, const char *words) {
    EXPECT_NE(refusal(start + rest).find(words), std::string::npos)
        << rest << ": " << refusal(start + rest);
  };
  expect("m64n12k16.f32.f16.f16 {%f0}, %a, %b, 1, 1, 1, 0, 0", "multiple of 8");
  expect("m64n40k32.s32.s8.s8 {%r0}, %a, %b, 1", "multiple of 16");
  expect("m64n8k8.f32.f16.f16 {%f0}, %a, %b, 1, 1, 1, 0, 0", ".m64nNk16");
  expect("m64n8k16.f16.bf16.bf16 {%r0, %r1}, %a, %b, 1, 1, 1, 0, 0",
         "not accumulated");
  expect("m64n8k16.f32.f16.bf16 {%f0}, %a, %b, 1, 1, 1, 0, 0",
         "does not multiply");
  expect("m64n8k16.f32.f16.f16 {%f0, %f1, %f2}, %a, %b, 1, 1, 1, 0, 0",
         "3 registers");
  expect("m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %a, %b, 1, 2, 1, 0, 0",
         "imm-scale-a is 2");
  expect("m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %a, %b, 1, 1, 1",
         "operands");
}

} // namespace
} // namespace ashlar::sim
