#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

/// 3 x 5 words in rows of 8, behind 64 bytes of the allocation that belong to
/// nobody, as those behind the tensor do.
constexpr uint64_t guardBytes = 64, rowBytes = 32;

/// `threads` execute `body` with the tensor's address in %rd1 and a shared
/// variable `tile` of 64 bytes; its line of the source is 7.
std::vector<Report> reports(const std::string &body, bool tellsOfTensor = true,
                            uint32_t threads = 1, uint64_t rows = 3) {
  PtxRunner runner;
  runner.shape.block = {threads, 1, 1};
  runner.options.seed = 1;
  MemoryBlock &block = runner.buffer(std::vector<uint32_t>(64, 0xffffffff));
  if (tellsOfTensor)
    runner.options.tensors = {{.name = "X",
                               .address = block.address + guardBytes,
                               .elementBytes = 4,
                               .extents = {rows, 5},
                               .strides = {8, 1}}};
  return runner.run(kernelText(".param .u64 x",
                               R"(
  .shared .align 16 .b8 tile[64];
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [x];
  add.u64 %rd1, %rd1, 64;
  mov.u32 %r1, tile;
  .loc 1 7 0
)" + body + "\n  ret;") +
                    ".file 1 \"author.cpp\"\n");
}

/// That nothing is found without the tensor, and with it one access out of
/// bounds, at the author's line.
void expectOutOfBounds(const std::string &body, const std::string &sentence) {
  SCOPED_TRACE(body);
  EXPECT_TRUE(reports(body, false).empty()) << text(reports(body, false));
  const std::vector<Report> found = reports(body);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_EQ(found[0].finding, Finding::outOfBounds);
  EXPECT_FALSE(found[0].isEnd);
  EXPECT_EQ(found[0].sites[0].source, "author.cpp:7");
  EXPECT_EQ(found[0].sentence.substr(0, sentence.size()), sentence);
}

TEST(TensorBounds, LoadsAroundElementsAreToldOf) {
  const std::string load = "  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1";
  EXPECT_TRUE(reports("//@ around\n" + load + "+16];").empty());
  // Of a load, in the next line, in which there is an element.
  EXPECT_FALSE(reports("//@ around\n\n" + load + "+16];").empty());
  EXPECT_FALSE(reports("//@ around\n" + load + "+96];").empty());
  // Not beyond the tensor's end.
  EXPECT_FALSE(reports("//@ around\n" + load + "+80];").empty());
  EXPECT_FALSE(
      reports("//@ around\n  st.global.v2.u32 [%rd1+16], {%r2, %r3};").empty());
}

TEST(TensorBounds, ItsElementsMayBeAccessed) {
  const std::vector<Report> found = reports(R"(
  ld.global.u32 %r2, [%rd1];
  ld.global.u32 %r2, [%rd1+80];
  st.global.u32 [%rd1+48], %r2;
  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+32];
  atom.global.add.u32 %r2, [%rd1+64], 1;
  cp.async.ca.shared.global [%r1], [%rd1+64], 16;
  cp.async.ca.shared.global [%r1+16], [%rd1+48], 16, 4;
  cp.async.wait_all;)");
  EXPECT_TRUE(found.empty()) << text(found);
}

TEST(TensorBounds, LoadsBehindARowAreFound) {
  expectOutOfBounds("ld.global.u32 %r2, [%rd1+20];",
                    "4 bytes are accessed right behind the end of [0, :] of "
                    "tensor 'X' (3 x 5 elements of 4 bytes, strides 8, 1)");
  expectOutOfBounds("ld.global.u32 %r2, [%rd1+60];",
                    "4 bytes are accessed 8 bytes behind the end of [1, :] of");
  expectOutOfBounds("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+16];",
                    "16 bytes are accessed of which the last 12 bytes lie "
                    "behind the end of [0, :] of tensor 'X'");
}

TEST(TensorBounds, CopiesBehindARowAreFound) {
  expectOutOfBounds(R"(cp.async.ca.shared.global [%r1], [%rd1+48], 16;
  cp.async.wait_all;)",
                    "16 bytes are accessed of which the last 12 bytes lie "
                    "behind the end of [1, :] of tensor 'X'");
}

TEST(TensorBounds, BulkCopiesBehindARowAreFound) {
  const std::string copy = R"(
  .shared .align 8 .b64 barrier;
  .reg .b64 %token;
  .reg .pred %p;
  mbarrier.init.shared.b64 [barrier], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 %token, [barrier], 32;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 32, [barrier];
wait:
  mbarrier.test_wait.shared.b64 %p, [barrier], %token;
  @!%p bra wait;)";
  expectOutOfBounds(copy, "16 bytes are accessed of which the last 12 bytes "
                          "lie behind the end of [0, :] of tensor 'X'");
}

TEST(TensorBounds, AStoreOneElementPastTheEndIsFound) {
  expectOutOfBounds("st.global.u32 [%rd1+84], 0;",
                    "4 bytes are accessed right behind the end of tensor 'X'");
  expectOutOfBounds("st.global.u8 [%rd1+100], 0;",
                    "1 byte is accessed 16 bytes behind the end of tensor "
                    "'X'");
}

TEST(TensorBounds, AccessesBeforeTheBeginningAreFound) {
  expectOutOfBounds("red.global.add.u32 [%rd1+-4], 1;",
                    "4 bytes are accessed 4 bytes before the beginning of "
                    "tensor 'X'");
  expectOutOfBounds("ld.global.v2.u32 {%r2, %r3}, [%rd1+-8];",
                    "8 bytes are accessed 8 bytes before the beginning of");
}

TEST(TensorBounds, AnAllocationsEndIsToldByItsTensor) {
  const std::vector<Report> found = reports("ld.global.u32 %r2, [%rd1+192];");
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_TRUE(found[0].isEnd);
  EXPECT_EQ(found[0].sentence.find("4 bytes are accessed 108 bytes behind the "
                                   "end of tensor 'X'"),
            0u)
      << text(found);
}

TEST(TensorBounds, MemoryThatIsTooSmallForATensorIsToldByIt) {
  // Seven rows, for which the allocation has 192 bytes behind the first.
  const std::vector<Report> found =
      reports("ld.global.u32 %r2, [%rd1+192];", true, 1, 7);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_TRUE(found[0].isEnd);
  EXPECT_EQ(found[0].sentence.find(
                "4 bytes are accessed of tensor 'X' (7 x 5 elements of 4 "
                "bytes, strides 8, 1), whose memory is too small: it has 192 "
                "bytes and needs 212: allocate as many"),
            0u)
      << text(found);
}

TEST(TensorBounds, EachLaneIsLookedAt) {
  // The first lane is right; of 6 lanes the last is in the gap.
  const std::string load = R"(
  mov.u32 %r2, %tid.x;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  ld.global.u32 %r3, [%rd2];)";
  EXPECT_TRUE(reports(load, true, 5).empty());
  const std::vector<Report> found = reports(load, true, 6);
  ASSERT_EQ(found.size(), 1u) << text(found);
  EXPECT_NE(found[0].sites[0].who.find("lane 5"), std::string::npos)
      << text(found);
  // And of one that reads the second row by its second half.
  EXPECT_TRUE(reports(R"(
  mov.u32 %r2, %tid.x;
  shr.u32 %r3, %r2, 2;
  mad.lo.u32 %r2, %r3, 4, %r2;
  mad.wide.u32 %rd2, %r2, 4, %rd1;
  ld.global.u32 %r3, [%rd2];)",
                      true, 8)
                  .empty());
}

TEST(TensorBounds, OneInstructionIsReportedOnce) {
  const std::vector<Report> found = reports(R"(
  mov.u32 %r2, 0;
again:
  ld.global.u32 %r3, [%rd1+20];
  add.u32 %r2, %r2, 1;
  .reg .pred %p;
  setp.lt.u32 %p, %r2, 9;
  @%p bra again;)");
  EXPECT_EQ(found.size(), 1u) << text(found);
}

TensorBounds boundsOf(std::vector<uint64_t> extents,
                      std::vector<uint64_t> strides) {
  TensorBounds bounds;
  bounds.add({.name = "T",
              .address = 0,
              .elementBytes = 2,
              .extents = std::move(extents),
              .strides = std::move(strides)},
             100);
  return bounds;
}

/// Which elements' places from the first on belong to elements: "xx.xx".
std::string drawn(const TensorBounds &bounds, uint64_t count) {
  std::string text;
  for (uint64_t i = 0; i < count; ++i)
    text += bounds.runAround(100 + 2 * i, 2).end ? 'x' : '.';
  return text;
}

TEST(TensorBounds, GapsFollowFromStrides) {
  EXPECT_EQ(drawn(boundsOf({2, 3}, {3, 1}), 8), "xxxxxx..");
  EXPECT_EQ(drawn(boundsOf({2, 3}, {4, 1}), 8), "xxx.xxx.");
  EXPECT_EQ(drawn(boundsOf({3, 2}, {1, 4}), 8), "xxx.xxx."); // transposed
  EXPECT_EQ(drawn(boundsOf({2, 2, 2}, {8, 3, 1}), 16), "xx.xx...xx.xx...");
  EXPECT_EQ(drawn(boundsOf({3}, {2}), 8), "x.x.x...");
  EXPECT_EQ(drawn(boundsOf({4, 3}, {0, 1}), 4), "xxx."); // the same row
  EXPECT_EQ(drawn(boundsOf({2, 0}, {4, 1}), 4), "....");
  EXPECT_EQ(drawn(boundsOf({}, {}), 2), "x.");
  // Overlapping windows: their gaps are not told.
  EXPECT_EQ(drawn(boundsOf({2, 2, 2}, {3, 2, 1}), 8), "xxxxxxx.");
}

TEST(TensorBounds, WordsAroundElementsLieWithinTheirTensor) {
  const TensorBounds bounds = boundsOf({2, 3}, {20, 1}); // 100-106, 140-146
  EXPECT_TRUE(bounds.isAround(104, 16));
  EXPECT_FALSE(bounds.isAround(106, 16)); // between rows
  EXPECT_TRUE(bounds.isAround(126, 16));
  EXPECT_FALSE(
      bounds.isAround(98, 16)); // before the first, and behind the last
  EXPECT_FALSE(bounds.isAround(140, 16));
}

TEST(TensorBounds, StretchesAreAsLongAsTheyCanBe) {
  const auto run = boundsOf({2, 4, 2, 3}, {40, 8, 3, 1}).runAround(118, 2);
  EXPECT_EQ(run.begin, 116u);
  EXPECT_EQ(run.end, 128u);
}

TEST(TensorBounds, TensorsOfOneAllocationAreToldApart) {
  TensorBounds bounds;
  bounds.add({"A", 0, 4, {4}, {1}}, 0);
  bounds.add({"B", 0, 4, {4}, {1}}, 32);
  EXPECT_EQ(bounds.runAround(32, 4).end, 48u);
  EXPECT_EQ(
      bounds.describe(16, 4, 64).find("4 bytes are accessed right behind the "
                                      "end of tensor 'A'"),
      0u);
  EXPECT_EQ(
      bounds.describe(28, 4, 64).find("4 bytes are accessed 4 bytes before "
                                      "the beginning of tensor 'B'"),
      0u);
}

} // namespace
} // namespace ashlar::sim
