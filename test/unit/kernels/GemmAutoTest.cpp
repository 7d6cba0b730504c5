#include "ashlar/gemm_auto.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace ashlar {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
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
          GemmSizes{64, 7168, 16384}, GemmSizes{1, 1, 1},
          GemmSizes{4097, 4097, 4097}, GemmSizes{3, 129, 77}}) {
      const GemmTypes aligned = aligned_as(sizes, types);
      const std::vector<GemmConfig> configs = gemm_candidates(sizes, aligned);
      EXPECT_GT(configs.size(), 5);
      for (const GemmConfig &config : configs)
        EXPECT_THAT(why_not(sizes, aligned, config), IsEmpty()) << config;
    }
}

TEST(GemmAuto, ChoosesWhatCanBeBuilt) {
  std::mt19937 random(7);
  const GemmTypes choices[] = {half, fast, full, single, inParts};
  for (int i = 0; i < 2000; ++i) {
    const GemmSizes sizes = anyProblem(random);
    GemmTypes types = choices[i % 5];
    types.layout = {random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
    types = aligned_as(sizes, types);
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
    const GemmTypes types = aligned_as(sizes, choices[i % 4]);
    const GemmConfig config = gemm_auto(sizes, types, form);
    EXPECT_THAT(why_not(sizes, types, config, form), IsEmpty()) << config;
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

TEST(GemmAuto, PreparesTheOneThatIsReadAgainAndAgain) {
  for (const GemmSizes &sizes :
       {GemmSizes{6513, 217, 4513}, GemmSizes{303, 7847, 1579}}) {
    const GemmConfig c = gemm_auto(sizes, aligned_as(sizes, {}));
    EXPECT_EQ(c.load_warps, 8) << c;
    EXPECT_EQ(c.prepared_a, sizes.m < sizes.n) << c;
    EXPECT_EQ(c.prepared_b, sizes.m > sizes.n) << c;
  }
}

TEST(GemmAuto, HasDeepStagesWhoseSumsLeaveInParts) {
  for (const GemmTypes &types :
       {GemmTypes{f32, f32, f32},
        GemmTypes{e4m3, e4m3, bf16, Accumulation::full}}) {
    const auto deep =
        testing::Field(&GemmConfig::bk, testing::Gt(128 / size_bytes(types.a)));
    EXPECT_THAT(gemm_candidates({16, 4096, 4096}, types), Contains(deep));
  }
}

TEST(GemmAuto, TilesOfFewRowsOfF32AreTallForOneRoleMakesTheirParts) {
  const GemmConfig config =
      gemm_auto({64, 7168, 16384}, {f32, f32, f32, Accumulation::full});
  EXPECT_TRUE(config.swapped && config.bf16_parts) << config;
  EXPECT_EQ(config.bm, 256) << config;
}

TEST(GemmAuto, RowsThatAreTransposedAre64OfAWarpgroup) {
  const GemmTypes types{.a = e4m3,
                        .b = e4m3,
                        .d = bf16,
                        .accumulation = Accumulation::fast,
                        .layout = GemmLayout::parse("TT")};
  const auto candidates = gemm_candidates({64, 4096, 4096}, types);
  EXPECT_THAT(candidates, Contains(testing::Field(&GemmConfig::transposed_b,
                                                  testing::IsTrue())));
  for (const GemmConfig &c : candidates)
    EXPECT_TRUE(!c.transposed_b || !c.swapped || c.bm / c.warpgroups <= 64)
        << c;
}

TEST(GemmAuto, HasEdgesInPartsWhereAPartLiesOutside) {
  const auto inParts = testing::Field(&GemmConfig::edge_parts, true);
  EXPECT_THAT(gemm_candidates({1664, 1592, 2704}), Contains(inParts));
  // Nothing lies outside; and there are fewer rows than a part has.
  const auto hasAll = [](const GemmConfig &c) {
    return 1024 % c.bm == 0 && 1024 % c.bn == 0;
  };
  for (const GemmConfig &c : gemm_candidates({1024, 1024, 2704}))
    EXPECT_TRUE(!c.edge_parts || !hasAll(c)) << c;
  EXPECT_THAT(gemm_candidates({8, 8, 8192}), Each(Not(inParts)));
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
  EXPECT_THAT(plain(sizes, false),
              Contains(testing::Field(&GemmConfig::kept_b, Lt(16))));
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

/// CTAs of a configuration that multiplies these extents.
int64_t ctas(const GemmConfig &c, const GemmSizes &sizes) {
  auto tiles = [](int64_t extent, int64_t tile) {
    return (extent + tile - 1) / tile;
  };
  return c.split * tiles(c.swapped ? sizes.n : sizes.m, c.bm) *
         tiles(c.swapped ? sizes.m : sizes.n, c.bn);
}

TEST(GemmAuto, TilesFillAWave) {
  // In columns of D, or of its transpose; and few tiles in parts of a long K.
  for (const auto &[sizes, least] : {std::pair{GemmSizes{536, 7848, 952}, 110},
                                     {GemmSizes{376, 216, 4280}, 66}}) {
    const GemmConfig config = gemm_auto(sizes);
    EXPECT_GT(ctas(config, sizes), least) << config;
    EXPECT_LE(ctas(config, sizes), 132) << config;
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
  // Nothing of 30 MB whose products take longer than DRAM in any case.
  EXPECT_EQ(gemm_auto({256, 3000, 5000}, {}).kept_b, 0);
  // All of what L2 holds, of what is read again, and of what is far too large.
  EXPECT_EQ(gemm_auto({24, 7168, 2048}, {}).kept_b, 16);
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

TEST(GemmAuto, PreparesWhatIsReadOftenAndShiftsTheRest) {
  const GemmSizes large{4097, 4097, 4097}, thin{1, 8193, 8193};
  const GemmConfig prepared = gemm_auto(large, aligned_as(large, half));
  EXPECT_TRUE(prepared.prepared_a && prepared.prepared_b) << prepared;
  EXPECT_EQ(prepared.load_warps, 1) << prepared;
  const GemmConfig shifted = gemm_auto(thin, aligned_as(thin, half));
  EXPECT_FALSE(shifted.prepared_a || shifted.prepared_b) << shifted;
  EXPECT_EQ(shifted.load_warps, 8) << shifted;
  // Rows of D alone are stored otherwise, not loaded.
  const GemmSizes vocabulary{4096, 50257, 768};
  const GemmConfig usual = gemm_auto(vocabulary, aligned_as(vocabulary, half));
  EXPECT_FALSE(usual.prepared_a || usual.prepared_b) << usual;
  EXPECT_EQ(usual.load_warps, 1) << usual;
}

TEST(GemmAuto, TransposesWhatWgmmaDoesNot) {
  GemmTypes types = fast;
  types.layout.b_n_major = true;
  EXPECT_TRUE(gemm_auto({16, 4096, 4096}, types).transposed_b);
  // Through registers, which only rows of a tile take.
  const GemmConfig large = gemm_auto({4096, 4096, 4096}, types);
  EXPECT_TRUE(large.transposed_b && large.swapped) << large;
  // Registers have no u8: it is what the columns are cut from.
  const GemmTypes bytes{u8, s8, s32, Accumulation::full,
                        GemmLayout::parse("NN")};
  EXPECT_TRUE(std::ranges::any_of(
      gemm_candidates({4096, 4096, 4096}, bytes),
      [](const GemmConfig &c) { return c.transposed_a && c.swapped; }));
  const auto workspace = gemm_workspace(
      {512, 512, 500}, types, GemmConfig::parse("128x128x128 s4 w2 prepared-b"),
      {}, 132);
  ASSERT_EQ(workspace.size(), 2);
  EXPECT_EQ(workspace[0].name, "AlignedB");
  EXPECT_EQ(workspace[0].shape, (std::vector<int64_t>{512, 512}));
}

TEST(GemmAuto, AlignsAsTheSizesHaveIt) {
  const GemmLayout layout = aligned_as({8, 12, 7, 1, 0, 16}, half).layout;
  EXPECT_EQ(layout.align_a, 2);
  EXPECT_EQ(layout.align_b, 16);
  EXPECT_EQ(layout.align_d, 8);
  EXPECT_EQ(layout.str(), "TN:2,16,8");
  EXPECT_EQ(GemmLayout::parse("TN:2,16,8"), layout);
}

TEST(GemmAuto, StoresVectorsAsRows) {
  auto layout = [](const GemmSizes &sizes, const char *given) {
    GemmTypes types = half;
    types.layout = GemmLayout::parse(given);
    return aligned_as(sizes, vectors_as_rows(sizes, types)).layout.str();
  };
  EXPECT_EQ(layout({1, 16, 7}, "NN"), "TN:16,2,16");
  EXPECT_EQ(layout({16, 1, 7}, "NT"), "NNN");
  EXPECT_EQ(layout({16, 24, 1}, "TN"), "NT");
  EXPECT_EQ(layout({1, 1, 7}, "NT"), "TN");
  // Of a batch the next row begins behind it, and with something between
  // elements they are no row.
  EXPECT_EQ(layout({1, 16, 7, 2}, "NN"), "TN:2,2,16");
  EXPECT_EQ(layout({1, 16, 7, 1, 8}, "NN"), "NN:16,2,16");
}

TEST(GemmAuto, TakesTheTunedConfigurationOfTheSameProblem) {
  GemmTable table;
  const GemmConfig tuned = GemmConfig::parse("64x64x64 s3 w1");
  table.set({half, {512, 512, 512}, tuned, 3, 6});
  EXPECT_EQ(gemm_auto({512, 512, 512}, half, {}, table), tuned);
  EXPECT_EQ(gemm_auto({512, 512, 520}, half, {}, table),
            gemm_auto({512, 512, 520}));
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

TEST(GemmAuto, ChoosesForProblemsWithoutElements) {
  const GemmForm batched{.batched = true};
  for (const GemmTypes &types : {half, fast, full, single})
    for (const GemmSizes &sizes :
         {GemmSizes{0, 8192, 8192}, GemmSizes{8192, 0, 8192},
          GemmSizes{8192, 8192, 0}, GemmSizes{8192, 8192, 8192, 0},
          GemmSizes{0, 0, 0, 0}}) {
      const GemmConfig config = gemm_auto(sizes, types, batched);
      EXPECT_THAT(why_not(sizes, types, config, batched), IsEmpty());
      const double total = gemm_cost(sizes, types, config, batched).total;
      EXPECT_GT(total, 0);
      EXPECT_TRUE(std::isfinite(total));
    }
}

TEST(GemmAuto, RefusesExtentsBelowNothing) {
  GemmForm batched;
  batched.batched = true;
  for (auto [sizes, what] : {std::pair{GemmSizes{-3, 8, 8}, "m is -3"},
                             {GemmSizes{8, -1, 8}, "n is -1"},
                             {GemmSizes{8, 8, -8}, "k is -8"},
                             {GemmSizes{8, 8, 8, -1}, "batch is -1"}}) {
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

TEST(GemmWhy, ShowsTheChoiceAndWhereOthersAreBehind) {
  const GemmSizes sizes{4096, 6144, 4096};
  const GemmConfig slow = GemmConfig::parse("128x128x64 s2 w2 k2"),
                   none = GemmConfig::parse("128x256x64 s9 w2");
  const std::string text = gemm_why(sizes, half, {}, 2, {slow, none});
  const std::vector<GemmConfig> candidates = gemm_candidates(sizes);
  EXPECT_THAT(text, ContainsRegex("\n   1 .* " + candidates[0].str() + "\n"));
  EXPECT_THAT(text, ContainsRegex("\n   2 .* " + candidates[1].str() + "\n"));
  EXPECT_THAT(text, Not(HasSubstr("\n   3 ")));
  EXPECT_THAT(text, ContainsRegex("\n   - .* " + slow.str() + "\n"));
  EXPECT_THAT(text, HasSubstr(slow.str() + ": no candidate; "));
  EXPECT_THAT(text, HasSubstr("; limited by latency"));
  EXPECT_THAT(text, HasSubstr(none.str() + ": can't be built: " +
                              why_not(sizes, half, none)));
  EXPECT_THAT(gemm_why({8, -1, 8}), HasSubstr("no candidates: n is -1"));
}

TEST(GemmWhy, LimitsAreThoseOfTheProblem) {
  auto costOf = [](const GemmSizes &sizes) {
    return gemm_cost(sizes, half, gemm_auto(sizes));
  };
  EXPECT_EQ(costOf({8192, 8192, 8192}).limit, "math");
  EXPECT_EQ(costOf({1, 8192, 8192}).limit, "memory");
  EXPECT_EQ(costOf({256, 256, 64}).limit, "launch");
}

} // namespace
} // namespace ashlar
