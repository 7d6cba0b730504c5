#include "RunPtx.h"

#include <gtest/gtest.h>

using namespace ashlar::sim;

namespace {

/// Two blocks of two warps, each lane with this around an atom.cas.
class GuessedLoads : public testing::Test {
protected:
  std::vector<Report> run(const std::string &body) {
    PtxRunner runner;
    runner.shape = {{2, 1, 1}, {64, 1, 1}, {1, 1, 1}, 0};
    runner.options.hostThreads = 1;
    sum = &runner.buffer(std::vector<uint32_t>(4, 0));
    runner.uninitialisedBuffer(1024);
    auto reports = runner.run(
        kernelText(".param .u64 sum, .param .u64 out",
                   ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .pred %p<2>;\n"
                   "ld.param.u64 %rd1, [sum];\nld.param.u64 %rd8, [out];\n"
                   "mov.u32 %r7, %tid.x; mad.lo.u32 %r7, %ctaid.x, 64, %r7;\n"
                   "mul.wide.u32 %rd3, %r7, 4; add.u64 %rd2, %rd8, %rd3;\n" +
                       body + "\nret;"));
    result = PtxRunner::values<uint32_t>(*sum)[0];
    return reports;
  }
  MemoryBlock *sum = nullptr;
  uint32_t result = 0;
};

TEST_F(GuessedLoads, DoNotRaceWithTheAtomicOperationsThatVerifyThem) {
  // As atomicAdd of a type that has none is written.
  const auto reports = run("ld.global.u32 %r1, [%rd1];\n"
                           "AGAIN:\nadd.u32 %r2, %r1, 1;\n"
                           "atom.global.cas.b32 %r3, [%rd1], %r1, %r2;\n"
                           "setp.ne.u32 %p0, %r1, %r3;\nmov.u32 %r1, %r3;\n"
                           "@%p0 bra AGAIN;\nst.global.u32 [%rd2], %r3;");
  EXPECT_TRUE(reports.empty()) << text(reports);
  EXPECT_EQ(result, 128u);
}

TEST_F(GuessedLoads, MayBeMadeAnewInEachRound) {
  const auto reports = run("AGAIN:\nld.global.u32 %r1, [%rd1];\n"
                           "and.b32 %r4, %r1, 255;\nadd.u32 %r2, %r4, 1;\n"
                           "atom.global.cas.b32 %r3, [%rd1], %r1, %r2;\n"
                           "setp.ne.u32 %p0, %r1, %r3;\n@%p0 bra AGAIN;");
  EXPECT_TRUE(reports.empty()) << text(reports);
  EXPECT_EQ(result, 128u);
}

/// The same with one thing that is not as it must be.
TEST_F(GuessedLoads, RaceWhereTheValueIsUsedOrAnotherIsVerified) {
  const std::string swap = "atom.global.cas.b32 %r3, [%rd1], %r1, %r2;\n";
  const std::string load = "ld.global.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\n";
  for (const std::string &body : std::initializer_list<std::string>{
           load + swap + "st.global.u32 [%rd2], %r1;",  // the guess itself
           load + swap + "st.global.u32 [%rd2], %r2;",  // what follows from it
           load + "setp.eq.u32 %p0, %r1, 5;\n" + swap + // whether to store
               "@%p0 st.global.u32 [%rd2], 1;",
           // Another value, and none, is compared with.
           load + "atom.global.cas.b32 %r3, [%rd1], 0, %r2;",
           load + "atom.global.exch.b32 %r3, [%rd1], %r2;",
           // Another place.
           load + "atom.global.cas.b32 %r3, [%rd1+4], %r1, %r2;\n"
                  "atom.global.add.u32 %r3, [%rd1], 1;",
           // A place that has become another.
           "mov.u64 %rd4, %rd1;\nld.global.u32 %r1, [%rd4];\n"
           "add.u64 %rd4, %rd4, 4;\nadd.u32 %r2, %r1, 1;\n"
           "atom.global.cas.b32 %r3, [%rd4], %r1, %r2;\n"
           "atom.global.add.u32 %r3, [%rd1], 1;",
           // A promise that nobody writes.
           "ld.global.nc.u32 %r1, [%rd1];\nadd.u32 %r2, %r1, 1;\n" + swap,
       }) {
    const auto reports = run(body);
    ASSERT_FALSE(reports.empty()) << body;
    EXPECT_EQ(reports.front().finding, Finding::race) << body;
  }
}

/// Eight lanes make a word of 4 bits each.
const std::string storeNibble =
    "and.b32 %r4, %r7, 7; shl.b32 %r4, %r4, 2; shl.b32 %r5, 15, %r4;\n"
    "not.b32 %r6, %r5; shl.b32 %r5, 5, %r4;\n"
    "shr.u32 %r4, %r7, 3; mul.wide.u32 %rd4, %r4, 4;\n"
    "ld.param.u64 %rd5, [out]; add.u64 %rd6, %rd5, %rd4;\n"
    "ld.global.u32 %r1, [%rd6];\n"
    "AGAIN:\nand.b32 %r2, %r1, %r6;\nor.b32 %r2, %r2, %r5;\n"
    "atom.global.cas.b32 %r1, [%rd6], %r1, %r2;\n"
    "setp.ne.u32 %p0, %r1, %r2;\n@%p0 bra AGAIN;\n";

TEST_F(GuessedLoads, MayReplaceBitsOfWhatNobodyHasWritten) {
  const auto reports = run(storeNibble);
  EXPECT_TRUE(reports.empty()) << text(reports);
}

TEST_F(GuessedLoads, MayBePutBackByAStore) {
  const std::string load = "ld.global.u8 %r1, [%rd2];\n",
                    mask = "and.b32 %r2, %r1, 240;\nor.b32 %r2, %r2, 5;\n",
                    store = "st.global.u8 [%rd2], %r2;\n";
  const auto reports = run(load + mask + store);
  EXPECT_TRUE(reports.empty()) << text(reports);
  for (const std::string &body :
       {load + "add.u32 %r2, %r1, 1;\n" + store,     // arithmetic
        load + mask + "st.global.u8 [%rd2+1], %r2;", // another place
        load + mask + store + "st.global.u8 [%rd2+1], %r1;"}) {
    const auto found = run(body);
    ASSERT_FALSE(found.empty()) << body;
    EXPECT_EQ(found.front().finding, Finding::uninitialised) << body;
  }
}

TEST_F(GuessedLoads, PutBackByAStoreRace) {
  const auto reports = run("ld.global.u8 %r1, [%rd1];\n"
                           "and.b32 %r2, %r1, 240;\nor.b32 %r2, %r2, %r7;\n"
                           "st.global.u8 [%rd1], %r2;\n");
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.front().finding, Finding::race);
}

TEST_F(GuessedLoads, OfWhatNobodyHasWrittenAreFoundWhereTheyCount) {
  const std::string load = "ld.global.u32 %r1, [%rd2];\n",
                    swap = "atom.global.cas.b32 %r3, [%rd2], %r1, %r2;\n";
  for (const char *change :
       {"add.u32 %r2, %r1, 1;\n", "or.b32 %r2, %r1, 1;\n",
        "and.b32 %r4, %r1, 255;\nadd.u32 %r2, %r4, 1;\n"}) {
    const auto reports = run(load + change + swap);
    ASSERT_FALSE(reports.empty()) << change;
    EXPECT_EQ(reports.front().finding, Finding::uninitialised) << change;
  }
}

TEST_F(GuessedLoads, RaceWithOrdinaryStores) {
  const auto reports = run("setp.eq.u32 %p0, %r7, 0;\n"
                           "@%p0 st.global.u32 [%rd1], 7;\n"
                           "ld.global.u32 %r1, [%rd1];\n"
                           "add.u32 %r2, %r1, 1;\n"
                           "atom.global.cas.b32 %r3, [%rd1], %r1, %r2;");
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.front().finding, Finding::race);
}

} // namespace
