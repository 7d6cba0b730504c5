#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

namespace ashlar::sim {
namespace {

// As Triton writes loads and stores of one element.
TEST(Load, TakesALoneElementInBraces) {
  PtxRunner runner;
  runner.buffer<uint32_t>({7});
  MemoryBlock &result = runner.buffer<uint32_t>({0});
  runner.shape.block = {1, 1, 1};
  const auto reports =
      runner.run(kernelText(".param .u64 from, .param .u64 to", R"(
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [from];
  ld.param.u64 %rd1, [to];
  ld.global.b32 { %r1 }, [ %rd0 + 0 ];
  st.global.b32 [ %rd1 + 0 ], { %r1 };
  ret;)"));
  EXPECT_TRUE(reports.empty()) << text(reports);
  EXPECT_EQ(PtxRunner::values<uint32_t>(result)[0], 7u);
}

TEST(Load, EachLaneStaysOutOfReservedSharedMemory) {
  PtxRunner runner;
  const auto reports = runner.run(kernelText("", R"(
  .shared .align 4 .b8 tile[128];
  .reg .pred %p;
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  st.shared.u32 [%r2], 0;
  setp.eq.u32 %p, %r1, 3;
  @%p mov.u32 %r2, 16;
  ld.shared.u32 %r3, [%r2];
  ret;
)"));
  ASSERT_EQ(reports.size(), 1u) << text(reports);
  EXPECT_EQ(reports[0].finding, Finding::outOfBounds);
  EXPECT_NE(reports[0].sentence.find("which the system reserves"),
            std::string::npos);
}

} // namespace
} // namespace ashlar::sim
