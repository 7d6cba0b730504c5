#include "runtime/sim/machine/Traffic.h"
#include "test/unit/sim/RunPtx.h"

#include <gtest/gtest.h>

using namespace ashlar::sim;

namespace {

std::array<uint64_t, warpLanes> strided(uint64_t bytes) {
  std::array<uint64_t, warpLanes> addresses;
  for (unsigned lane = 0; lane < warpLanes; ++lane)
    addresses[lane] = 1024 + lane * bytes;
  return addresses;
}

Accesses shared(uint64_t stride, unsigned sizeBytes) {
  Traffic traffic;
  traffic.access(Traffic::Space::shared, /*writes=*/false, allLanes,
                 strided(stride), sizeBytes);
  return traffic.sharedLoads;
}

Accesses global(uint64_t stride, unsigned sizeBytes) {
  Traffic traffic;
  traffic.access(Traffic::Space::global, /*writes=*/true, allLanes,
                 strided(stride), sizeBytes);
  return traffic.globalStores;
}

TEST(Traffic, CountsSectorsOfGlobalMemory) {
  EXPECT_EQ(global(4, 4).bytes, 128u);
  EXPECT_EQ(global(4, 4).sectorBytes, 128u);
  EXPECT_EQ(global(4, 4).wideBytes, 0u);
  EXPECT_EQ(global(16, 16).wideBytes, 512u);
  EXPECT_EQ(global(128, 4).sectorBytes, 32u * 32);
  EXPECT_EQ(global(0, 4).sectorBytes, 32u);
}

TEST(Traffic, CountsConflictsOfBanks) {
  auto passes = [](uint64_t stride, unsigned sizeBytes) {
    const Accesses counted = shared(stride, sizeBytes);
    return std::pair(counted.passes, counted.leastPasses);
  };
  EXPECT_EQ(passes(4, 4), std::pair(uint64_t(1), uint64_t(1)));
  EXPECT_EQ(passes(0, 4), std::pair(uint64_t(1), uint64_t(1)));
  EXPECT_EQ(passes(8, 4), std::pair(uint64_t(2), uint64_t(1)));
  EXPECT_EQ(passes(128, 4), std::pair(uint64_t(32), uint64_t(1)));
  EXPECT_EQ(passes(132, 4), std::pair(uint64_t(1), uint64_t(1)));
  EXPECT_EQ(passes(8, 8), std::pair(uint64_t(2), uint64_t(2)));
  EXPECT_EQ(passes(16, 16), std::pair(uint64_t(4), uint64_t(4)));
  EXPECT_EQ(passes(128, 16), std::pair(uint64_t(32), uint64_t(4)));
}

TEST(Traffic, OfALaunchIsThatOfAllItsClusters) {
  Traffic traffic;
  PtxRunner runner;
  runner.shape.grid = {3, 1, 1};
  runner.options.traffic = &traffic;
  runner.buffer(std::vector<uint32_t>(33, 7));
  const auto reports = runner.run(
      kernelText(".param .u64 p", ".reg .b64 %d<3>;\n.reg .b32 %r<3>;\n"
                                  "ld.param.u64 %d0, [p];\n"
                                  "mov.u32 %r0, %tid.x;\n"
                                  "mad.wide.u32 %d1, %r0, 4, %d0;\n"
                                  "ld.global.u32 %r1, [%d1];\n"
                                  "red.global.add.u32 [%d0+128], 0;\nret;"));
  EXPECT_TRUE(reports.empty()) << text(reports);
  EXPECT_EQ(traffic.instructions, 3u * 6);
  EXPECT_EQ(traffic.globalLoads.bytes, 3u * 128);
  EXPECT_EQ(traffic.atomics, 3u * 32);
  EXPECT_EQ(traffic.sharedLoads.bytes, 0u);
}

} // namespace
