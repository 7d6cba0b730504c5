// What the simulator finds around asynchronous copies: each test plants one
// fault in a kernel that is right without it.

#include "runtime/sim/machine/copies/TensorMap.h"
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

constexpr uint64_t seeds = 6;

/// The pieces of a kernel in which thread 0 loads a tile of 8x64 bf16 by TMA,
/// all threads read it, and thread 0 stores it again.
struct Pieces {
  std::string initialise = "@%first mbarrier.init.shared.b64 [bar], 1;\n"
                           "@%first fence.mbarrier_init.release.cluster;\n"
                           "bar.sync 0;\n";
  std::string expect =
      "@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;\n";
  std::string load =
      "@%first cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::"
      "complete_tx::bytes [tile], [%map, {0, 0}], [bar];\n";
  std::string wait = "WAIT: mbarrier.try_wait.parity.shared.b64 %done, [bar], "
                     "0;\n@!%done bra WAIT;\n";
  std::string change = "ld.shared.u32 %v, [%at];\nadd.u32 %v, %v, 1;\n"
                       "st.shared.u32 [%at], %v;\n";
  std::string publish = "fence.proxy.async;\nbar.sync 0;\n";
  std::string store =
      "@%first cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
      "[%map, {0, 0}], [tile];\n";
  std::string commit = "@%first cp.async.bulk.commit_group;\n";
  std::string finish = "@%first cp.async.bulk.wait_group 0;\n";
  bool encode = true;
  uint32_t word = 0; // of the map to be changed; 0: none

  std::string text() const {
    return kernelText(
        ".param .align 64 .b8 m[128]",
        ".reg .b64 %map; .reg .b32 %t, %v, %at; .reg .pred %first, %done;\n"
        "mov.b64 %map, m; cvta.param.u64 %map, %map;\n"
        "mov.u32 %t, %tid.x; setp.eq.u32 %first, %t, 0;\n"
        "mov.u32 %at, tile; mad.lo.u32 %at, %t, 4, %at;\n" +
            initialise + expect + load + wait + change + publish + store +
            commit + finish + "ret;",
        ".shared .align 1024 .b8 tile[1024];\n.shared .align 8 .b64 bar;");
  }

  std::vector<Report> run(uint64_t seed) const {
    std::vector<Report> reports;
    stored(seed, reports);
    return reports;
  }

  /// What is in global memory afterwards; it begins as zeros.
  std::vector<uint32_t> stored(uint64_t seed,
                               std::vector<Report> &reports) const {
    PtxRunner runner;
    runner.options.seed = seed;
    auto tensor = runner.memory.allocate(1024);
    tensor->setInitialised(0, 1024);
    TensorMap map;
    map.element = static_cast<uint32_t>(TensorElement::bf16);
    map.rank = 2;
    map.address = tensor->address;
    map.extents = {64, 8, 1, 1, 1};
    map.strideBytes = {128};
    map.box = {64, 8, 1, 1, 1};
    map.swizzle = 3;
    struct Opaque {
      uint64_t words[16] = {};
    } opaque;
    if (encode) {
      EXPECT_EQ(encodeTensorMap(opaque.words, map), std::nullopt);
    }
    opaque.words[word] ^= word ? 1 : 0;
    runner.pass(opaque);
    reports = runner.run(text());
    return PtxRunner::values<uint32_t>(*tensor);
  }

  /// The findings of the seed, "" when there is none.
  std::string findings(uint64_t seed) const {
    std::string all;
    for (const Report &report : run(seed))
      all += std::string(name(report.finding)) + ": " + report.sentence + "\n";
    return all;
  }
};

void expectFound(const Pieces &pieces, const std::string &finding) {
  bool found = false;
  std::string all;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const std::string each = pieces.findings(seed);
    found |= each.find(finding) != std::string::npos;
    all += each;
  }
  EXPECT_TRUE(found) << "wanted: " << finding << "\nfound: " << all;
}

TEST(Copy, FindsNothingInAKernelThatIsRight) {
  for (uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_EQ(Pieces().findings(seed), "") << seed;
}

TEST(Copy, ReadBeforeTheLoadHasLanded) {
  Pieces pieces;
  pieces.wait = "";
  expectFound(pieces, "race");
}

TEST(Copy, BarrierWhoseInitialisationIsNotFenced) {
  Pieces pieces;
  pieces.initialise = "@%first mbarrier.init.shared.b64 [bar], 1;\n"
                      "bar.sync 0;\n";
  expectFound(pieces, "missing proxy fence: the initialisation of");
}

TEST(Copy, BarrierWhoseInitialisationIsFencedForTheAsynchronousProxy) {
  Pieces pieces;
  pieces.initialise = "@%first mbarrier.init.shared.b64 [bar], 1;\n"
                      "@%first fence.proxy.async;\n"
                      "bar.sync 0;\n";
  for (uint64_t seed = 0; seed < seeds; ++seed)
    EXPECT_EQ(pieces.findings(seed), "") << seed;
}

TEST(Copy, BytesThatNobodyExpects) {
  Pieces pieces;
  pieces.expect.replace(pieces.expect.find("1024"), 4, "1040");
  expectFound(pieces, "deadlock");
}

TEST(Copy, StoreOfWhatHasNotBeenFenced) {
  Pieces pieces;
  pieces.publish = "bar.sync 0;\n";
  expectFound(pieces, "missing proxy fence");
}

TEST(Copy, MissingCommit) {
  Pieces pieces;
  pieces.commit = "";
  expectFound(pieces, "belong to no group");
}

TEST(Copy, MissingWaitAtExit) {
  Pieces pieces;
  pieces.finish = "";
  expectFound(pieces, "wait_group.read 0 before it returns");
}

// Shared memory is there until the CTA has exited: the store is whole.
TEST(Copy, WhatIsPendingAtExitLandsAllTheSame) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    Pieces pieces;
    pieces.finish = "";
    std::vector<Report> reports;
    const std::vector<uint32_t> stored = pieces.stored(seed, reports);
    ASSERT_EQ(reports.size(), 1u) << text(reports);
    EXPECT_TRUE(reports[0].isHarmless);
    for (size_t word = 0; word < 32; ++word) // one a thread
      EXPECT_EQ(stored[word], 1u) << seed;
  }
}

TEST(Copy, WaitForTheReadsIsEnoughAtExit) {
  Pieces pieces;
  pieces.finish = "@%first cp.async.bulk.wait_group.read 0;\n";
  for (uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(pieces.findings(seed), "") << seed;
}

TEST(Copy, TileOverwrittenWhileTheStoreReadsIt) {
  Pieces pieces;
  pieces.finish = "bar.sync 0;\nst.shared.u32 [%at], 7;\n" + pieces.finish;
  expectFound(pieces, "race");
}

/// The store, the commit and the wait by all lanes alike.
Pieces storedByAllLanes() {
  Pieces pieces;
  for (std::string *piece : {&pieces.store, &pieces.commit, &pieces.finish})
    piece->erase(0, piece->find(' ') + 1);
  return pieces;
}

TEST(Copy, StoreByAllLanesAlikeIsOne) {
  for (uint64_t seed = 0; seed < 50; ++seed)
    EXPECT_EQ(storedByAllLanes().findings(seed), "") << seed;
  // Each lane has waited for it, and may use the tile again.
  Pieces pieces = storedByAllLanes();
  pieces.finish += "st.shared.u32 [%at], 7;\n";
  for (uint64_t seed = 0; seed < 20; ++seed)
    EXPECT_EQ(pieces.findings(seed), "") << seed;
}

/// The store by all lanes alike; the commit and the wait by this one.
Pieces storedByAllLanesFor(unsigned lane) {
  Pieces pieces = storedByAllLanes();
  pieces.commit = ".reg .pred %one;\nsetp.eq.u32 %one, %t, " +
                  std::to_string(lane) + ";\n@%one " + pieces.commit;
  pieces.finish = "@%one " + pieces.finish;
  return pieces;
}

TEST(Copy, OneLanesCommitAndWaitAreEnoughForAStoreByAll) {
  for (unsigned lane : {0, 5}) {
    Pieces pieces = storedByAllLanesFor(lane);
    for (uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_EQ(pieces.findings(seed), "") << seed;
    // It tells the others, which may use the tile again.
    pieces.finish += "bar.warp.sync -1;\nst.shared.u32 [%at], 7;\n";
    for (uint64_t seed = 0; seed < 20; ++seed)
      EXPECT_EQ(pieces.findings(seed), "") << seed;
    // A second store has to be waited for as well.
    pieces.finish = storedByAllLanesFor(lane).finish + "bar.warp.sync -1;\n" +
                    pieces.store + "@%one cp.async.bulk.commit_group;\n" +
                    "bar.warp.sync -1;\nst.shared.u32 [%at], 7;\n" +
                    storedByAllLanesFor(lane).finish;
    expectFound(pieces, "may still read it");
    pieces = storedByAllLanesFor(lane);
    pieces.finish = "";
    expectFound(pieces, "wait_group.read 0 before it returns");
    pieces.commit = "";
    expectFound(pieces, "belong to no group");
  }
}

TEST(Copy, StoreByAllLanesIsNotWaitedFor) {
  Pieces pieces = storedByAllLanes();
  pieces.finish = "";
  expectFound(pieces, "wait_group.read 0 before it returns");
  pieces.finish = "bar.warp.sync -1;\nst.shared.u32 [%at], 7;\n" +
                  storedByAllLanes().finish;
  expectFound(pieces, "race");
  pieces = storedByAllLanes();
  pieces.publish = "bar.sync 0;\n";
  expectFound(pieces, "missing proxy fence");
}

TEST(Copy, StoresByAllLanesOfOtherTilesAreSeveral) {
  Pieces pieces = storedByAllLanes();
  pieces.store = "shr.u32 %v, %t, 4;\n" + pieces.store;
  pieces.store.replace(pieces.store.find("{0, 0}"), 6, "{0, %v}");
  expectFound(pieces, "race");
}

// Which counts its bytes once for each lane, as ptxas repeats it.
TEST(Copy, LoadByAllLanesIsOneOfEach) {
  Pieces pieces;
  pieces.load.erase(0, pieces.load.find(' ') + 1);
  for (uint64_t seed = 0; seed < seeds; ++seed)
    EXPECT_NE(pieces.findings(seed), "") << seed;
}

TEST(Copy, BulkCopyByAllLanesIsOneAndAReductionIsOneOfEach) {
  for (const std::string reduce : {"", ".reduce"}) {
    PtxRunner runner;
    MemoryBlock &out = runner.buffer(std::vector<uint32_t>(4, 1));
    const auto reports = runner.run(kernelText(
        ".param .u64 p",
        ".reg .b64 %p; .reg .b32 %t, %at; .reg .pred %q;\n"
        "ld.param.u64 %p, [p]; mov.u32 %t, %tid.x; mov.u32 %at, tile;\n"
        "setp.lt.u32 %q, %t, 4; mad.lo.u32 %at, %t, 4, %at;\n"
        "@%q st.shared.u32 [%at], 2;\n"
        "fence.proxy.async;\nbar.sync 0;\n"
        "cp" +
            reduce + ".async.bulk.global.shared::cta.bulk_group" +
            (reduce.empty() ? "" : ".add.u32") +
            " [%p], [tile], 16;\n"
            "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nret;",
        ".shared .align 16 .b8 tile[16];\n"));
    EXPECT_TRUE(reports.empty()) << text(reports);
    EXPECT_EQ(PtxRunner::values<uint32_t>(out),
              std::vector<uint32_t>(4, reduce.empty() ? 2 : 65));
  }
}

TEST(Copy, MapsThatAreNone) {
  Pieces pieces;
  pieces.encode = false;
  expectFound(pieces, "invalid tensor map");
  pieces.encode = true;
  pieces.word = 5;
  expectFound(pieces, "invalid tensor map");
}

TEST(Copy, MisalignedTilesMapsAndCoordinates) {
  Pieces pieces;
  pieces.load.replace(pieces.load.find("[tile]"), 6, "[tile+16]");
  expectFound(pieces, "the tile's address in shared memory");
  pieces = {};
  pieces.load.replace(pieces.load.find("{0, 0}"), 6, "{4, 0}");
  expectFound(pieces, "no multiple of 16 bytes");
  pieces = {};
  pieces.store.replace(pieces.store.find("{0, 0}"), 6, "{0, -1}");
  expectFound(pieces, "must not be negative");
  pieces = {};
  pieces.load.replace(pieces.load.find("%map"), 4, "%map+32");
  expectFound(pieces, "not aligned to 64 bytes");
}

TEST(Copy, LoadBeyondSharedMemory) {
  Pieces pieces;
  pieces.load.replace(pieces.load.find("[tile]"), 6, "[tile+896]");
  expectFound(pieces, "out of bounds");
}

TEST(Copy, ExitWithALoadUnderWay) {
  Pieces pieces;
  pieces.wait = pieces.change = pieces.publish = pieces.store = "";
  expectFound(pieces, "still under way");
}

TEST(Copy, MulticastToACtaThatDoesNotExist) {
  Pieces pieces;
  pieces.load =
      "@%first cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
      "complete_tx::bytes.multicast::cluster [tile], [%map, {0, 0}], [bar], "
      "3;\n";
  expectFound(pieces, "bit 1 is set in the multicast mask");
}

TEST(Copy, UnknownModifiersAreRefused) {
  const char *const wrong[] = {
      "cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx"
      "::bytes [tile], [%map, {0, 0}], [bar];",
      "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes."
      "multicast::cluster [tile], [%map, {0, 0}], [bar], 1;",
      "cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes "
      "[tile], [%map, {0, 0}], [bar];",
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::"
      "bytes.cta_group::1 [tile], [%map, {0, 0}], [bar];",
      "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%map], [tile], 16, "
      "1;",
      "cp.async.bulk.global.shared::cta.bulk_group [%map], [tile], 8;",
      "cp.async.cg.shared.global [tile], [%map], 8;",
      "cp.async.ca.shared.global [tile], [%map], 4, 8;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%map], "
      "[tile], 16;",
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.and.u32 [%map], "
      "[tile], 16;",
      "tensormap.replace.tile.rank.shared::cta.b1024.b64 [tile], 1;",
      "cp.async.wait_group %v;",
  };
  for (const char *instruction : wrong) {
    Pieces pieces;
    pieces.load = std::string(instruction) + "\n";
    EXPECT_THROW(pieces.run(0), std::exception) << instruction;
  }
}

/// Each thread copies a word by cp.async, and another thread reads it.
std::string threadCopy(const std::string &ending) {
  return kernelText(
      ".param .u64 p",
      ".reg .b64 %p, %d; .reg .b32 %t, %at, %other, %v; .reg .pred %done, "
      "%first;\n"
      "ld.param.u64 %p, [p]; cvta.to.global.u64 %p, %p;\n"
      "mov.u32 %t, %tid.x; mov.u32 %at, tile; setp.eq.u32 %first, %t, 0;\n"
      "@%first mbarrier.init.shared.b64 [bar], 32; bar.sync 0;\n"
      "mul.wide.u32 %d, %t, 4; add.u64 %p, %p, %d;\n"
      "xor.b32 %other, %t, 1; mad.lo.u32 %other, %other, 4, %at;\n"
      "mad.lo.u32 %at, %t, 4, %at;\n"
      "cp.async.ca.shared.global [%at], [%p], 4;\n" +
          ending + "ld.shared.u32 %v, [%other];\nst.global.u32 [%p], %v;\nret;",
      ".shared .align 16 .b8 tile[128];\n.shared .align 8 .b64 bar;");
}

std::string findingsOf(const std::string &ptx) {
  std::string all;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    PtxRunner runner;
    runner.options.seed = seed;
    std::vector<uint32_t> values(32);
    for (uint32_t i = 0; i < 32; ++i)
      values[i] = i;
    MemoryBlock &block = runner.buffer(values);
    all += text(runner.run(ptx));
    if (all.empty() && runner.values<uint32_t>(block)[6] != 7)
      all = "wrong result";
  }
  return all;
}

TEST(Copy, ThreadCopiesThatAreWaitedFor) {
  EXPECT_EQ(findingsOf(threadCopy("cp.async.wait_all;\nbar.sync 0;\n")), "");
  EXPECT_EQ(findingsOf(threadCopy("cp.async.commit_group;\n"
                                  "cp.async.wait_group 0;\nbar.sync 0;\n")),
            "");
  EXPECT_EQ(findingsOf(threadCopy(
                "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\nW: "
                "mbarrier.try_wait.parity.shared.b64 %done, [bar], 0;\n"
                "@!%done bra W;\n")),
            "");
}

TEST(Copy, ThreadCopiesThatAreNot) {
  for (const char *ending :
       {"cp.async.commit_group;\nbar.sync 0;\n",
        "cp.async.commit_group;\ncp.async.wait_group 1;\nbar.sync 0;\n",
        "bar.sync 0;\n", "cp.async.wait_all;\n"})
    EXPECT_NE(findingsOf(threadCopy(ending)).find("race"), std::string::npos)
        << ending;
}

} // namespace
} // namespace ashlar::sim
