#include "bench/GemmChoice.h"

#include "ashlar/error.h"

#include <gmock/gmock.h>

#include <set>
#include <tuple>
#include <utility>

namespace ashlar::bench {
namespace {

using testing::IsEmpty;

const GemmSizes square{4096, 4096, 4096};

TEST(GemmChoice, TunesTheModelsChoiceFirst) {
  const std::vector<GemmConfig> configs = tuningCandidates(square, {}, 24, {});
  ASSERT_EQ(configs.size(), 24);
  EXPECT_EQ(configs.front(), gemm_auto(square));
}

TEST(GemmChoice, TunesManyKindsOfTiles) {
  std::set<std::tuple<int64_t, int64_t, bool>> tiles;
  for (const GemmConfig &config : tuningCandidates(square, {}, 24, {}))
    tiles.insert({config.bm, config.bn, config.swapped});
  EXPECT_GE(tiles.size(), 8);
}

TEST(GemmChoice, TunesNothingTwice) {
  std::set<std::string> texts;
  for (const GemmConfig &config : tuningCandidates({64, 512, 512}, {}, 200, {}))
    EXPECT_TRUE(texts.insert(config.str()).second) << config;
}

TEST(GemmChoice, NeighboursDifferAndCanBeBuilt) {
  const GemmConfig config = gemm_auto(square);
  const std::vector<GemmConfig> configs = neighbours(square, {}, config, {});
  EXPECT_GE(configs.size(), 4);
  for (const GemmConfig &neighbour : configs) {
    EXPECT_NE(neighbour, config);
    EXPECT_THAT(why_not(square, {}, neighbour), IsEmpty()) << neighbour;
  }
}

TEST(GemmChoice, AvoidsWords) {
  const GemmSizes row{1, 8192, 8192};
  ASSERT_TRUE(gemm_auto(row).swapped);
  EXPECT_FALSE(choose(row, {}, {}, {"swapped"}).swapped);
  for (const GemmConfig &config : tuningCandidates(row, {}, 24, {"swapped"}))
    EXPECT_FALSE(config.swapped) << config;
  EXPECT_THROW(choose(row, {}, {}, {"x"}), Error);
}

TEST(GemmChoice, TakesTheTablesConfiguration) {
  GemmTable table;
  const GemmConfig config = GemmConfig::parse("64x64x64 s3 w1 c1x1 g8 e64x1");
  table.set({{}, square, config, 1, 2});
  EXPECT_EQ(choose(square, {}, table, {}), config);
  EXPECT_EQ(choose(square, {}, table, {"s3"}), gemm_auto(square));
}

} // namespace
} // namespace ashlar::bench
