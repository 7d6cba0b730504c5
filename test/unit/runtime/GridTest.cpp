#include "runtime/Grid.h"
#include "Throws.h"

namespace ashlar::test {
namespace {

using Spaces = std::vector<TileSpace>;
using Numbers = std::vector<int64_t>;

Grid gridOf(Spaces spaces, Numbers sizes = {}, Numbers cluster = {},
            int64_t residentClusters = 132) {
  Artifact artifact;
  artifact.name = "gemm";
  artifact.grid.spaces = std::move(spaces);
  artifact.grid.cluster = std::move(cluster);
  return computeGrid(artifact, sizes, residentClusters);
}

TEST(Grid, HasOneBlockForEachTile) {
  EXPECT_EQ(gridOf({{{{0}, {1}}, {128, 64}}}, {512, 256}).blocks, 4u * 4);
}

TEST(Grid, CountsRaggedTiles) {
  EXPECT_EQ(gridOf({{{{0}, {1}}, {128, 64}}}, {513, 257}).blocks, 5u * 5);
  EXPECT_EQ(gridOf({{{{0}}, {128}}}, {1}).blocks, 1u);
}

TEST(Grid, CountsWholeClusters) {
  Grid grid = gridOf({{{{0}, {1}}, {128, 128}}}, {5 * 128, 3 * 128}, {2, 1});
  EXPECT_EQ(grid.clusterSize, 2u);
  EXPECT_EQ(grid.blocks, 3u * 3 * 2);
}

TEST(Grid, TakesMissingClusterLengthsAsOne) {
  EXPECT_EQ(gridOf({{{{0}, {1}}, {1, 1}}}, {3, 5}, {2}).blocks, 2u * 5 * 2);
}

TEST(Grid, OfAPersistentKernelFillsTheDevice) {
  const Spaces tiles = {{{{0}, {1}}, {128, 128}, true}};
  EXPECT_EQ(gridOf(tiles, {8192, 8192}).blocks, 132u);
  EXPECT_EQ(gridOf(tiles, {256, 256}).blocks, 4u);
}

TEST(Grid, OfPersistentClustersHasThoseThatRunAtOnce) {
  const Spaces tiles = {{{{0}, {1}}, {128, 128}, true}};
  EXPECT_EQ(gridOf(tiles, {8192, 8192}, {2, 2}, 31).blocks, 124u);
  EXPECT_EQ(gridOf(tiles, {256, 512}, {2, 2}, 31).blocks, 8u);
}

TEST(Grid, OfAPersistentKernelMayHaveMoreTilesThanALaunchHasBlocks) {
  EXPECT_EQ(gridOf({{{{0}}, {1}, true}}, {1 << 30}).blocks, 132u);
}

TEST(Grid, RefusesMoreTilesThanAKernelCounts) {
  for (bool persistent : {false, true})
    expectError(
        [&] { gridOf({{{{0}, {1}}, {1, 1}, persistent}}, {1 << 16, 1 << 16}); },
        {"kernel 'gemm'", "4294967296 tiles", "1073741824", "larger tiles"});
}

TEST(Grid, WithoutALoopIsOneCluster) {
  Grid grid = gridOf({}, {}, {4});
  EXPECT_EQ(grid.blocks, 4u);
  EXPECT_EQ(grid.clusterSize, 4u);
  EXPECT_EQ(gridOf({}).blocks, 1u);
}

TEST(Grid, IsEmptyWhenAnyExtentIs) {
  EXPECT_EQ(gridOf({{{{0}, {1}}, {1, 1}}}, {0, 7}).blocks, 0u);
  EXPECT_EQ(gridOf({{{{0}, {1}}, {1, 1}, true}}, {7, 0}).blocks, 0u);
  const Extent none = {-1, 0};
  EXPECT_EQ(
      gridOf({{{{0}, {0}, {0}, none}, {1, 1, 1, 1}}}, {2147483647}).blocks, 0u);
}

TEST(Grid, TakesConstantExtents) {
  const Extent thousand = {-1, 1000};
  EXPECT_EQ(gridOf({{{thousand}, {128}}}).blocks, 8u);
}

TEST(Grid, IsThatOfTheLoopThatWantsTheMost) {
  const Spaces loops = {{{{0}}, {1}}, {{{1}}, {1}, true}};
  EXPECT_EQ(gridOf(loops, {10, 300}, {2}).blocks, 264u);
  EXPECT_EQ(gridOf(loops, {1000, 300}, {2}).blocks, 1000u);
  EXPECT_EQ(gridOf(loops, {0, 6}, {2}).blocks, 6u);
  EXPECT_EQ(gridOf(loops, {6, 0}, {2}).blocks, 6u);
  EXPECT_EQ(gridOf(loops, {0, 0}, {2}).blocks, 0u);
}

TEST(Grid, FillsTheDeviceWhereOnlyTheKernelKnowsTheTiles) {
  EXPECT_EQ(gridOf({{{}, {128, 64}, true}}, {}, {2}).blocks, 264u);
  EXPECT_EQ(gridOf({{{}, {1}, true}, {{{0}}, {1}}}, {1000}).blocks, 1000u);
}

TEST(Grid, RefusesMoreBlocksThanALaunchHas) {
  const Spaces tiles = {{{{0}}, {1}}};
  expectError([&] { gridOf(tiles, {2147483647}, {8}); },
              {"kernel 'gemm'", "2147483647 blocks", "larger tiles"});
  EXPECT_EQ(gridOf(tiles, {2147483640}, {8}).blocks, 2147483640u);
}

} // namespace
} // namespace ashlar::test
