#include "ashlar/gemm_auto.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace ashlar {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;
using testing::ThrowsMessage;

const GemmTypes half{};
const GemmTypes fast{e4m3, e4m3, bf16, Accumulation::fast};
const GemmTypes full{e4m3, e4m3, bf16, Accumulation::full};
const GemmTypes single{tf32, tf32, f32, Accumulation::full};
const GemmTypes inParts{f32, f32, f32};

GemmSizes anyProblem(std::mt19937 &random) {
  auto extent = [&](int64_t most) {
    const double logarithm = std::uniform_real_distribution<double>(
        0, std::log(static_cast<double>(most)))(random);
    return static_cast<int64_t>(std::exp(logarithm));
  };
  return {extent(20000), extent(60000), extent(50000)};
}

TEST(GemmAuto, EveryCandidateCanBeBuilt) {
  for (const GemmTypes &types : {half, fast, full, single, inParts})
    for (const GemmSizes &sizes :
         {GemmSizes{512, 512, 512}, GemmSizes{8192, 8192, 8192},
          GemmSizes{1, 8192, 8192}, GemmSizes{100, 200, 64},
          GemmSizes{64, 7168, 16384}, GemmSizes{1, 1, 1}}) {
      const std::vector<GemmConfig> configs = gemm_candidates(sizes, types);
      EXPECT_GT(configs.size(), 5);
      for (const GemmConfig &config : configs)
        EXPECT_THAT(why_not(sizes, types, config), IsEmpty()) << config;
    }
}

TEST(GemmAuto, ChoosesWhatCanBeBuilt) {
  std::mt19937 random(7);
  const GemmTypes choices[] = {half, fast, full, single, inParts};
  for (int i = 0; i < 2000; ++i) {
    const GemmSizes sizes = anyProblem(random);
    const GemmTypes &types = choices[i % 5];
    const GemmConfig config = gemm_auto(sizes, types);
    EXPECT_THAT(why_not(sizes, types, config), IsEmpty())
        << sizes.m << "x" << sizes.n << "x" << sizes.k << " " << config;
  }
}

TEST(GemmAuto, ChoosesWhatCanBeBuiltInEveryForm) {
  std::mt19937 random(8);
  const GemmTypes choices[] = {half, fast, full, single};
  for (int i = 0; i < 1000; ++i) {
    GemmSizes sizes = anyProblem(random);
    sizes.batch = 1 + static_cast<int64_t>(random() % 20);
    GemmForm form;
    form.batched = sizes.batch > 1;
    for (bool GemmForm::*part :
         {&GemmForm::row_scales, &GemmForm::column_scales, &GemmForm::alpha,
          &GemmForm::c, &GemmForm::bias, &GemmForm::auxiliary, &GemmForm::amax,
          &GemmForm::scale_d})
      form.*part = random() % 2;
    form.activation = static_cast<Activation>(random() % 4);
    const GemmConfig config = gemm_auto(sizes, choices[i % 4], form);
    EXPECT_THAT(why_not(sizes, choices[i % 4], config, form), IsEmpty())
        << config;
  }
}

TEST(GemmAuto, ABatchFillsTheDeviceWithoutSplitK) {
  const GemmSizes one{64, 512, 4096}, many{64, 512, 4096, 64};
  GemmForm batched;
  batched.batched = true;
  EXPECT_GT(gemm_auto(one).split, 1);
  EXPECT_EQ(gemm_auto(many, {}, batched).split, 1);
}

TEST(GemmAuto, ChoosesTheFirstCandidate) {
  for (const GemmSizes &sizes :
       {GemmSizes{512, 512, 512}, GemmSizes{128, 8192, 8192}})
    EXPECT_EQ(gemm_auto(sizes), gemm_candidates(sizes).front());
}

/// Candidates of single CTAs with tiles of 64 rows of weights or tokens.
std::vector<GemmConfig> plain(const GemmSizes &sizes, bool swapped) {
  std::vector<GemmConfig> configs = gemm_candidates(sizes);
  std::erase_if(configs, [&](const GemmConfig &c) {
    return c.bm != 64 || c.swapped != swapped || c.stream_k || c.ping_pong ||
           c.split * c.cluster_m * c.cluster_n > 1;
  });
  return configs;
}

TEST(GemmAuto, LaunchesTheNextEarlyWhereItFindsRoom) {
  const auto early = testing::Field(&GemmConfig::early_launch, true);
  const auto late = testing::Field(&GemmConfig::early_launch, false);
  // 56 CTAs beside each other, but only small ones beside 80 others.
  EXPECT_THAT(plain({8, 3584, 3584}, true), AllOf(Not(IsEmpty()), Each(early)));
  const std::vector<GemmConfig> many = plain({8, 5120, 5120}, true);
  EXPECT_THAT(many, AllOf(Contains(early), Contains(late)));
  for (const GemmConfig &c : many) {
    const int64_t ring = c.stages * (c.bm + c.bn) * c.bk * size_bytes(bf16);
    EXPECT_EQ(c.early_launch, 2 * ring < h200().shared_bytes) << c;
  }
}

TEST(GemmAuto, KeepsLinesThatAreWantedAtDifferentTimes) {
  const GemmSizes sizes{128, 5120, 27648}; // two tiles want the same weights
  EXPECT_THAT(
      plain(sizes, false),
      AllOf(Not(IsEmpty()), Each(testing::Field(&GemmConfig::kept_b, Lt(16)))));
  for (const GemmConfig &c : gemm_candidates(sizes))
    if (c.bm == 64 && c.split == 2 && c.cluster_m == 1 && !c.swapped) {
      EXPECT_EQ(c.kept_b, 16) << c;
    }
}

TEST(GemmAuto, NeighboursAreASquareInOneWaveAndALargeGroupWhereKIsShort) {
  const auto group = [](int64_t rows) {
    return testing::Field(&GemmConfig::group, rows);
  };
  EXPECT_THAT(plain({1024, 576, 7168}, false), Contains(group(4)));
  for (const GemmConfig &c : gemm_candidates({8192, 4096, 2048}))
    EXPECT_EQ(c.group * c.cluster_m, 32) << c;
  EXPECT_THAT(gemm_candidates({8192, 4096, 4096}), Each(group(8)));
}

TEST(GemmAuto, ListsEachCandidateOnce) {
  const std::vector<GemmConfig> configs = gemm_candidates({256, 4096, 4096});
  for (size_t i = 0; i < configs.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      EXPECT_NE(configs[i], configs[j]);
}

TEST(GemmAuto, LargeProblemsTakeLargeTiles) {
  for (const GemmTypes &types : {half, fast}) {
    const GemmConfig config = gemm_auto({4096, 4096, 4096}, types);
    EXPECT_GE(config.bm * config.bn, 128 * 128) << config;
    EXPECT_EQ(config.split, 1) << config;
  }
}

TEST(GemmAuto, OneRowIsCutAlongN) {
  const GemmConfig config = gemm_auto({1, 8192, 8192});
  EXPECT_TRUE(config.swapped) << config;
  EXPECT_EQ(config.bn, 8) << config;
}

TEST(GemmAuto, L2KeepsAPartOfWeightsThatAreLargerAndReadOnce) {
  // 134 MB, of which about 18 stay; as A and B change places.
  EXPECT_EQ(gemm_auto({1, 8192, 8192}, {}).kept_b, 2);
  EXPECT_EQ(gemm_auto({1, 8192, 8192}, {}).kept_a, 16);
  EXPECT_EQ(gemm_auto({8192, 8, 8192}, {}).kept_a, 2);
  // All of what L2 holds, of what is read again, and of what is far too large.
  EXPECT_EQ(gemm_auto({1, 4096, 4096}, {}).kept_b, 16);
  EXPECT_EQ(gemm_auto({8192, 8192, 8192}, {}).kept_b, 16);
  EXPECT_EQ(gemm_auto({4, 49152, 12288}, {}).kept_b, 16);
}

TEST(GemmAuto, FewTilesAreSmallOrSplitK) {
  for (const GemmSizes &sizes :
       {GemmSizes{512, 512, 512}, GemmSizes{128, 1024, 16384}}) {
    const GemmConfig c = gemm_auto(sizes);
    const int64_t ctas =
        (sizes.m + c.bm - 1) / c.bm * ((sizes.n + c.bn - 1) / c.bn) * c.split;
    EXPECT_GE(ctas, 60) << c;
  }
}

TEST(GemmAuto, SumsInFullLeaveRoomForTheirCopy) {
  const GemmConfig config = gemm_auto({4096, 4096, 4096}, full);
  EXPECT_LE(config.bm * config.bn, 128 * 200) << config;
}

TEST(GemmAuto, TakesTheTunedConfigurationOfTheSameProblem) {
  GemmTable table;
  const GemmConfig tuned = GemmConfig::parse("64x64x64 s3 w1");
  table.set({half, {512, 512, 512}, tuned, 3, 6});
  EXPECT_EQ(gemm_auto({512, 512, 512}, half, {}, table), tuned);
  EXPECT_EQ(gemm_auto({512, 512, 513}, half, {}, table),
            gemm_auto({512, 512, 513}));
  EXPECT_NE(gemm_auto({512, 512, 512}, fast, {}, table), tuned);
}

TEST(GemmAuto, TakesNoTunedConfigurationThatTheFormDoesNotFit) {
  GemmTable table;
  const GemmSizes sizes{4096, 4096, 4096};
  const GemmConfig tuned = GemmConfig::parse("128x176x64 s4 w2 e64x1 pingpong");
  table.set({half, sizes, tuned, 3, 6});
  GemmForm form;
  form.c = true;
  EXPECT_EQ(gemm_auto(sizes, half, {}, table), tuned);
  EXPECT_EQ(gemm_auto(sizes, half, form, table), gemm_auto(sizes, half, form));
}

TEST(GemmAuto, RefusesABatchInTheFormOfOneProblem) {
  const GemmSizes many{512, 512, 512, 3};
  const auto reason = AllOf(HasSubstr("batch of 3"), HasSubstr("form.batched"));
  const std::string line = std::to_string(__LINE__ + 1);
  const auto choose = [&] { gemm_auto(many); };
  EXPECT_THAT(choose, ThrowsMessage<Error>(AllOf(
                          HasSubstr("GemmAutoTest.cpp:" + line), reason)));
  EXPECT_THAT(why_not(many, {}, GemmConfig::parse("128x128x64 s4 w2")), reason);
}

TEST(GemmAuto, RefusesExtentsOfNothing) {
  GemmForm batched;
  batched.batched = true;
  for (auto [sizes, what] : {std::pair{GemmSizes{0, 8, 8}, "m is 0"},
                             {GemmSizes{8, -1, 8}, "n is -1"},
                             {GemmSizes{8, 8, 0}, "k is 0"},
                             {GemmSizes{8, 8, 8, 0}, "batch is 0"}}) {
    EXPECT_THAT(([&, sizes = sizes] { gemm_auto(sizes, {}, batched); }),
                ThrowsMessage<Error>(HasSubstr(what)));
    EXPECT_THAT(gemm_candidates(sizes, {}, batched), IsEmpty());
  }
}

TEST(GemmAuto, RefusesOperandsOfDifferentSizes) {
  const GemmTypes mixed{bf16, e4m3, bf16};
  EXPECT_THAT([&] { gemm_auto({512, 512, 512}, mixed); },
              ThrowsMessage<Error>(HasSubstr("operands of one size")));
}

} // namespace
} // namespace ashlar
