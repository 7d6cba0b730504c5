#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

uint32_t resultOf(const std::string &instruction) {
  PtxRunner runner;
  MemoryBlock &result = runner.buffer<uint32_t>({0});
  runner.shape.block = {1, 1, 1};
  const auto reports = runner.run(kernelText(".param .u64 to", R"(
  .reg .b32 %r;
  .reg .b64 %to;
  ld.param.u64 %to, [to];
  )" + instruction + R"( %r, 0x00ff8010, 0xff007f20, 5;
  st.global.b32 [%to], %r;
  ret;)"));
  EXPECT_TRUE(reports.empty()) << text(reports);
  return PtxRunner::values<uint32_t>(result)[0];
}

TEST(Video, DifferencesOfBytesAreAbsolute) {
  EXPECT_EQ(resultOf("vabsdiff4.u32.u32.u32"), 0xffff0110u);
  EXPECT_EQ(resultOf("vabsdiff4.s32.s32.s32"), 0x0101ff10u);
}

TEST(Video, DifferencesOfBytesSaturateToTheResult) {
  EXPECT_EQ(resultOf("vabsdiff4.s32.s32.s32.sat"), 0x01017f10u);
  EXPECT_EQ(resultOf("vabsdiff4.u32.u32.s32.sat"), 0x01ff0110u);
}

TEST(Video, DifferencesOfBytesAreAddedToTheLastOperand) {
  EXPECT_EQ(resultOf("vabsdiff4.u32.u32.u32.add"), 16u + 1 + 255 + 255 + 5);
}

} // namespace
} // namespace ashlar::sim
