#include "runtime/sim/instructions/ReadOnlyVariables.h"
#include "RunPtx.h"

#include <gtest/gtest.h>

using namespace ashlar;

namespace {

/// Whether `table` is only read by a kernel of these statements.
bool isReadOnly(const std::string &body, const std::string &more = "") {
  const sim::ptx::Module module = sim::ptx::parse(
      sim::kernelText("", ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" + body,
                      ".global .align 8 .b8 table[64];\n" + more),
      "test.ptx");
  return sim::findReadOnlyVariables(module).front();
}

TEST(ReadOnlyVariables, AreThoseThatAreOnlyLoaded) {
  EXPECT_TRUE(isReadOnly("ld.global.u32 %r1, [table+8];"));
  EXPECT_TRUE(isReadOnly("mov.u64 %rd1, table; cvta.global.u64 %rd2, %rd1;"
                         "add.s64 %rd3, %rd2, 8; ld.u32 %r1, [%rd3];"));
  EXPECT_TRUE(isReadOnly("mov.u64 %rd1, table; ld.global.u64 %rd2, [%rd1];"
                         "st.global.u64 [%rd2], %rd2;"));
}

TEST(ReadOnlyVariables, AreNotThoseThatAreWritten) {
  EXPECT_FALSE(isReadOnly("st.global.u32 [table], %r1;"));
  EXPECT_FALSE(isReadOnly("red.global.add.u32 [table], 1;"));
  EXPECT_FALSE(isReadOnly("mov.u64 %rd1, table; mov.u64 %rd2, %rd1;"
                          "atom.global.exch.b32 %r1, [%rd2], 1;"));
  // An earlier instruction may be executed later.
  EXPECT_FALSE(isReadOnly("again: st.global.u32 [%rd2], %r1;"
                          "mov.u64 %rd1, table; add.s64 %rd2, %rd1, 4;"
                          "bra again;"));
}

TEST(ReadOnlyVariables, AreNotThoseWhoseAddressGoesElsewhere) {
  EXPECT_FALSE(isReadOnly("mov.u64 %rd1, table; st.global.u64 [%rd2], %rd1;"));
  EXPECT_FALSE(isReadOnly("mov.u64 %rd1, table; xor.b64 %rd2, %rd1, 1;"));
  EXPECT_FALSE(isReadOnly("ret;", ".global .u64 pointer = table;\n"));
}

TEST(ReadOnlyVariables, AreFollowedOnceAKernelDoesWriteThere) {
  sim::PtxRunner runner;
  auto block = runner.memory.allocate(64);
  block->setInitialised(0, 64);
  block->setReadOnly(true);
  runner.pass(block->address);
  runner.shape.block = {64, 1, 1};
  const std::vector<sim::Report> reports = runner.run(sim::kernelText(
      ".param .u64 out", ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\n"
                         "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x;"
                         "st.global.u32 [%rd1], %r1; ret;"));
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.front().finding, sim::Finding::race);
}

} // namespace
