#include "ashlar/gemm_cost.h"

#include "ashlar/error.h"

#include <gmock/gmock.h>

#include <string>

namespace ashlar {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

const GemmTypes half{};
const GemmTypes fast{e4m3, e4m3, bf16, Accumulation::fast};
const GemmTypes full{e4m3, e4m3, bf16, Accumulation::full};

GemmCost cost(const GemmSizes &sizes, const char *config,
              const GemmTypes &types = half) {
  return gemm_cost(sizes, types, GemmConfig::parse(config));
}

TEST(GemmCost, LargeProblemsTakeWhatTheTensorCoresNeed) {
  // 2 · 8192³ at 4096 flop in each clock of 132 SMs.
  const double least =
      2 * 8192.0 * 8192 * 8192 / (4096 * 132 * 1e3 * h200().clock_gigahertz);
  const GemmCost c = cost({8192, 8192, 8192}, "128x256x64 s4 w2 c2x1");
  EXPECT_THAT(c.math, AllOf(Ge(least), Le(1.1 * least)));
  EXPECT_THAT(c.total, AllOf(Ge(least), Le(1.3 * least)));
}

TEST(GemmCost, OneRowTakesTheTimeToReadTheWeights) {
  const double least = 8192.0 * 8192 * 2 / 4.4e6;
  const GemmCost c = cost({1, 8192, 8192}, "64x8x64 s12 w1 e8x1 swapped");
  EXPECT_NEAR(c.memory, least, 0.1 * least);
  EXPECT_THAT(c.total, AllOf(Ge(least), Le(1.4 * least)));
}

TEST(GemmCost, AsManyClustersRunAtOnceAsTheDriverCounts) {
  GpuModel gpu = h200();
  const std::pair<int64_t, int64_t> clusters[] = {
      {1, 132}, {2, 66}, {3, 39}, {4, 30}, {5, 22}, {6, 17}, {7, 15}, {8, 15}};
  for (auto [size, count] : clusters)
    EXPECT_EQ(gpu.resident_ctas(size), size * count);
  gpu.sm_count = 20;
  EXPECT_EQ(gpu.resident_ctas(8), 16);
}

TEST(GemmCost, NothingHidesTheEpilogueOfTheLastTile) {
  // One stage of K, and 256 columns to store.
  const GemmCost c = cost({64, 256, 64}, "64x256x64 s4 w1 e8x1");
  EXPECT_EQ(c.hot_limit, "epilogue");
  const GemmCost wide = cost({64, 256, 4096}, "64x256x64 s4 w1 e8x1");
  const GemmCost narrow = cost({64, 256, 4096}, "64x256x64 s4 w1 e64x1");
  EXPECT_NEAR(wide.hot - narrow.hot, wide.epilogue - narrow.epilogue, 0.01);
}

TEST(GemmCost, EdgePartsAreWorthTheirCodeWhereMuchOfATileLiesOutside) {
  const char *whole = "128x176x64 s5 w2",
             *parts = "128x176x64 s5 w2 edge-parts";
  const GemmSizes much{1664, 1592, 2704}, none{1664, 1760, 2704};
  EXPECT_LT(cost(much, parts).total, cost(much, whole).total);
  EXPECT_GT(cost(none, parts).total, cost(none, whole).total);
  EXPECT_NEAR(cost(none, parts).hot, cost(none, whole).hot, 0.3);
}

TEST(GemmCost, RowsOn16BytesTakeTimeOfTheirSmWhichMulticastSpares) {
  // 48 CTAs, on sectors and on 16 bytes.
  const GemmSizes on32{1024, 768, 4112}, on16{1024, 768, 4120};
  const char *alone = "128x128x64 s6 w2", *together = "128x128x64 s6 w2 c2x2";
  EXPECT_EQ(cost(on16, alone).hot_limit, "requests");
  EXPECT_GT(cost(on16, alone).hot, 1.1 * cost(on32, alone).hot);
  EXPECT_LT(cost(on16, together).hot, 0.95 * cost(on16, alone).hot);
}

TEST(GemmCost, ATileTooManyCostsAWholeWave) {
  const double full = cost({128 * 12, 256 * 11, 4096}, "128x256x64 s4").math;
  const double more = cost({128 * 12, 256 * 12, 4096}, "128x256x64 s4").math;
  EXPECT_NEAR(more, 2 * full, 0.01 * full);
}

TEST(GemmCost, ClustersAndPairsOfSmsSpareL2) {
  const GemmSizes sizes{32, 8192, 8192}; // two tiles of the tokens
  const double apart = cost(sizes, "64x16x128 s8 w1 g8 e16x1 swapped").l2;
  EXPECT_LT(cost(sizes, "64x16x128 s8 w1 g1 e16x1 swapped").l2, 0.9 * apart);
  EXPECT_LT(cost(sizes, "64x16x128 s8 w1 c1x2 g8 e16x1 swapped").l2,
            0.9 * apart);
}

TEST(GemmCost, TheLastOfThreeReadersHasNoNeighbour) {
  const char *config = "64x16x128 s8 w1 g1 e16x1 swapped";
  const double three = cost({48, 8192, 8192}, config).l2,
               four = cost({64, 8192, 8192}, config).l2;
  EXPECT_THAT(three, AllOf(Ge(0.85 * four), Le(1.05 * four)));
}

TEST(GemmCost, WhatL2HoldsTakesNoTimeOfDram) {
  const char *config = "64x8x128 s12 w1 e8x1 swapped";
  const GemmCost fits = cost({1, 4096, 2048}, config);
  const GemmCost doesNot = cost({1, 65536, 8192}, config);
  EXPECT_LT(fits.hot, 0.5 * fits.cold);
  EXPECT_GT(doesNot.hot, 0.9 * doesNot.cold);
}

TEST(GemmCost, AnEarlyLaunchSavesTimeWhereOneFollowsTheOther) {
  const GemmSizes sizes{16, 4096, 4096};
  const GemmCost late = cost(sizes, "64x16x128 s8 w1 e16x1 swapped");
  const GemmCost early = cost(sizes, "64x16x128 s8 w1 e16x1 swapped early");
  EXPECT_LT(early.hot, late.hot);
  EXPECT_EQ(early.cold, late.cold);
}

TEST(GemmCost, HalfTheBytesTakeHalfTheTime) {
  const GemmSizes sizes{4096, 4096, 4096};
  EXPECT_NEAR(cost(sizes, "128x256x128 s4 w2 c2x1", fast).math,
              cost(sizes, "128x256x64 s4 w2 c2x1").math / 2, 1);
}

TEST(GemmCost, SumsInFullCostMore) {
  const GemmSizes sizes{4096, 4096, 4096};
  EXPECT_GT(cost(sizes, "128x160x128 s5 w2 c2x1", full).math,
            cost(sizes, "128x160x128 s5 w2 c2x1", fast).math);
}

TEST(GemmCost, AdditionsHideBehindAProductInFlight) {
  const GemmSizes sizes{4096, 4096, 4096};
  const auto addition = [&](const char *config) {
    return cost(sizes, config, full).math / cost(sizes, config, fast).math;
  };
  EXPECT_LT(addition("128x128x128 s6 w2"), addition("128x136x128 s6 w2"));
  EXPECT_LT(addition("128x128x128 s6 w2"),
            addition("128x88x128 s6 w2 pingpong"));
}

TEST(GemmCost, ProductsOfF32ThatBeginTogetherWaitForLoadsOnce) {
  const GemmTypes f32s{f32, f32, f32};
  const GemmSizes sizes{1, 1024, 8192};
  const double alone = cost(sizes, "64x8x32 s8 w1 e8x1 swapped", f32s).math,
               two = cost(sizes, "64x8x64 s4 w1 e8x1 swapped", f32s).math,
               four = cost(sizes, "64x8x128 s2 w1 e8x1 swapped", f32s).math;
  EXPECT_LT(two, 0.8 * alone);
  EXPECT_LT(four, 0.9 * two);
}

TEST(GemmCost, RowsOutsideOfTheMatrixAreNotFree) {
  const GemmSizes sizes{1, 8192, 8192};
  EXPECT_GT(cost(sizes, "128x64x64 s8 w2").total,
            1.3 * cost(sizes, "64x64x64 s12 w1").total);
}

TEST(GemmCost, ASecondWaveOfLargeClustersCostsAsMuchAsTheFirst) {
  const GemmSizes sizes{512, 7168, 16384}; // 128 tiles of 128x224
  EXPECT_GT(cost(sizes, "128x224x64 s4 w2 c2x2").total,
            1.7 * cost(sizes, "128x224x64 s4 w2 c2x1").total);
}

TEST(GemmCost, PingPongHidesTheEpilogue) {
  const GemmSizes sizes{8192, 8192, 512};
  EXPECT_LT(cost(sizes, "128x128x64 s5 w2 pingpong").epilogue,
            0.5 * cost(sizes, "128x128x64 s5 w2").epilogue);
}

TEST(GemmCost, RowsThatBeginWithinASectorCostTheNextTile) {
  auto more = [](GemmSizes sizes) {
    const double before = cost(sizes, "128x128x64 s4 w2 pingpong").hot;
    sizes.ldd = sizes.n + 8;
    return cost(sizes, "128x128x64 s4 w2 pingpong").hot / before;
  };
  EXPECT_GT(more({4096, 8192, 512}), 1.02);
  EXPECT_EQ(more({1024, 1024, 512}), 1);
}

TEST(GemmCost, InPingPongATileInTheRingIsInTheWayOfLoads) {
  const GemmSizes sizes{8192, 8192, 512};
  const double ring = cost(sizes, "128x128x64 s6 w2 e64x0 pingpong").hot,
               beside = cost(sizes, "128x128x64 s6 w2 e64x2 pingpong").hot;
  EXPECT_GT(ring, 1.1 * beside);
}

TEST(GemmCost, SplitKHelpsWhereTilesAreFew) {
  const GemmSizes sizes{128, 1024, 16384};
  EXPECT_LT(cost(sizes, "128x128x64 s5 w2 k8").total,
            0.5 * cost(sizes, "128x128x64 s5 w2").total);
}

TEST(GemmCost, RowsAcrossCacheLinesCostMoreAndClustersLess) {
  const GemmConfig alone = GemmConfig::parse("128x128x64 s6 w2 g8 e64x1"),
                   pair = GemmConfig::parse("128x128x64 s6 w2 c2x1 g8 e64x1");
  auto time = [](int64_t stride, const GemmConfig &config) {
    return gemm_cost({4096, 4096, 4096, 1, stride, stride}, half, config).total;
  };
  EXPECT_EQ(time(0, alone), time(4096, alone));
  EXPECT_EQ(time(4112, alone), time(4096, alone)); // multiples of 32 bytes
  EXPECT_GT(time(4104, alone), time(4112, alone)); // of 16
  EXPECT_LT(time(4104, pair), time(4104, alone));
}

TEST(GemmCost, GroupsThatLoadInTurnsWaitTogether) {
  GemmTypes odd;
  odd.layout = GemmLayout::parse("TN:2,2,2");
  auto load = [&](int64_t depth, const char *config) {
    return cost({2093, 153, depth}, config, odd).load;
  };
  EXPECT_LT(load(1433, "64x80x64 s8 w1 l8x2"),
            0.9 * load(1433, "64x80x64 s8 w1 l8"));
  // Nobody takes turns for one stage.
  EXPECT_GE(load(63, "64x80x64 s8 w1 l8x2"), load(63, "64x80x64 s8 w1 l8"));
}

TEST(GemmCost, NumbersThatAreNoneAreRefused) {
  EXPECT_THAT(([] { gemm_cost({64, 64, 64}, {}, {.stages = 0}); }),
              testing::ThrowsMessage<Error>(
                  testing::AllOf(testing::HasSubstr("GemmCostTest.cpp:"),
                                 testing::HasSubstr("stages is 0: use 1 to"))));
}

TEST(GemmCost, AShallowRingWaits) {
  const GemmSizes sizes{16, 4096, 4096};
  EXPECT_GT(cost(sizes, "64x16x64 s2 w1 e16x1 swapped").total,
            1.5 * cost(sizes, "64x16x64 s12 w1 e16x1 swapped").total);
}

/// Of single bytes, with A stored by columns.
GemmTypes byColumns(GemmTypes types) {
  types.layout.a_m_major = true;
  return types;
}

TEST(GemmCost, ToTransposeAnOperandTakesLongerThanToCopyIt) {
  GemmTypes shifted = fast;
  shifted.layout.align_a = 1;
  const GemmSizes sizes{16, 4096, 4096};
  const char *config = "64x16x128 s12 w1 e16x1 prepared-a swapped";
  EXPECT_NEAR(cost(sizes, config, byColumns(fast)).hot -
                  cost(sizes, config, shifted).hot,
              h200().prepare_transposed_microseconds, 0.01);
}

TEST(GemmCost, LongProductsHideRowsThatAreTransposed) {
  const GemmSizes sizes{4096, 4096, 4096};
  const auto unhidden = [&](const std::string &config) {
    return cost(sizes, (config + " transposed-a").c_str(), byColumns(fast))
               .math -
           cost(sizes, config.c_str(), fast).math;
  };
  EXPECT_EQ(unhidden("128x256x128 s4 w2"), 0);
  EXPECT_GT(unhidden("128x64x128 s8 w2"), 0);
}

TEST(GemmCost, ABoxIsAsNarrowAsWhatLiesInTheMatrix) {
  const auto load = [](int64_t m) {
    return cost({m, 4096, 4096}, "64x128x128 s8 w1 transposed-a",
                byColumns(fast))
        .load;
  };
  EXPECT_GT(load(16), 1.2 * load(64));
}

TEST(GemmCost, RowsOfBothProductsOfAStageTakeRegisters) {
  const GemmSizes sizes{4096, 4096, 4096};
  const auto addition = [&](const char *config) {
    return cost(sizes, config, byColumns(full)).math /
           cost(sizes, config, byColumns(fast)).math;
  };
  EXPECT_LT(addition("64x64x128 s8 w1 transposed-a"),
            addition("64x64x256 s4 w1 transposed-a"));
}

} // namespace
} // namespace ashlar
