#include "runtime/Grid.h"
#include "Throws.h"

namespace ashlar::test {
namespace {

Grid gridOf(GridRule rule, std::vector<int64_t> sizes = {},
            int64_t residentClusters = 132) {
  Artifact artifact;
  artifact.name = "gemm";
  artifact.grid = std::move(rule);
  return computeGrid(artifact, sizes, residentClusters);
}

TEST(Grid, HasOneBlockForEachTile) {
  EXPECT_EQ(gridOf({{{0}, {1}}, {128, 64}, {}, false}, {512, 256}).blocks,
            4u * 4);
}

TEST(Grid, CountsRaggedTiles) {
  EXPECT_EQ(gridOf({{{0}, {1}}, {128, 64}, {}, false}, {513, 257}).blocks,
            5u * 5);
  EXPECT_EQ(gridOf({{{0}}, {128}, {}, false}, {1}).blocks, 1u);
}

TEST(Grid, CountsWholeClusters) {
  Grid grid =
      gridOf({{{0}, {1}}, {128, 128}, {2, 1}, false}, {5 * 128, 3 * 128});
  EXPECT_EQ(grid.clusterSize, 2u);
  EXPECT_EQ(grid.blocks, 3u * 3 * 2);
}

TEST(Grid, TakesMissingClusterLengthsAsOne) {
  EXPECT_EQ(gridOf({{{0}, {1}}, {1, 1}, {2}, false}, {3, 5}).blocks,
            2u * 5 * 2);
}

TEST(Grid, OfAPersistentKernelFillsTheDevice) {
  GridRule rule = {{{0}, {1}}, {128, 128}, {}, true};
  EXPECT_EQ(gridOf(rule, {8192, 8192}).blocks, 132u);
  EXPECT_EQ(gridOf(rule, {256, 256}).blocks, 4u);
}

TEST(Grid, OfPersistentClustersHasThoseThatRunAtOnce) {
  GridRule rule = {{{0}, {1}}, {128, 128}, {2, 2}, true};
  EXPECT_EQ(gridOf(rule, {8192, 8192}, 31).blocks, 124u);
  EXPECT_EQ(gridOf(rule, {256, 512}, 31).blocks, 8u);
}

TEST(Grid, OfAPersistentKernelMayHaveMoreTilesThanALaunchHasBlocks) {
  GridRule rule = {{{0}}, {1}, {}, true};
  EXPECT_EQ(gridOf(rule, {1 << 30}).blocks, 132u);
}

TEST(Grid, RefusesMoreTilesThanAKernelCounts) {
  for (bool persistent : {false, true})
    expectError(
        [&] {
          gridOf({{{0}, {1}}, {1, 1}, {}, persistent}, {1 << 16, 1 << 16});
        },
        {"kernel 'gemm'", "4294967296 tiles", "1073741824", "larger tiles"});
}

TEST(Grid, WithoutExtentsIsOneCluster) {
  Grid grid = gridOf({{}, {}, {4}, false});
  EXPECT_EQ(grid.blocks, 4u);
  EXPECT_EQ(grid.clusterSize, 4u);
  EXPECT_EQ(gridOf({}).blocks, 1u);
}

TEST(Grid, IsEmptyWhenAnyExtentIs) {
  EXPECT_EQ(gridOf({{{0}, {1}}, {1, 1}, {}, false}, {0, 7}).blocks, 0u);
  EXPECT_EQ(gridOf({{{0}, {1}}, {1, 1}, {}, true}, {7, 0}).blocks, 0u);
  EXPECT_EQ(
      gridOf({{{0}, {0}, {0}, {-1, 0}}, {1, 1, 1, 1}, {}, false}, {2147483647})
          .blocks,
      0u);
}

TEST(Grid, TakesConstantExtents) {
  EXPECT_EQ(gridOf({{{-1, 1000}}, {128}, {}, false}).blocks, 8u);
}

TEST(Grid, RefusesMoreBlocksThanALaunchHas) {
  GridRule rule = {{{0}}, {1}, {8}, false};
  expectError([&] { gridOf(rule, {2147483647}); },
              {"kernel 'gemm'", "2147483647 blocks", "larger tiles"});
  EXPECT_EQ(gridOf(rule, {2147483640}).blocks, 2147483640u);
}

} // namespace
} // namespace ashlar::test
