// What the model chooses for attention.

#include "ashlar/ashlar.h"
#include "ashlar/error.h"
#include "kernels/AttentionResources.h"
#include "test/kernels/AttentionCases.h"
#include "test/kernels/Check.h"
#include "test/kernels/Draw.h"
#include "test/kernels/Register.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>
#include <set>

namespace ashlar::test {
namespace {

/// Chosen for what models have, with all that registers are needed for. The
/// least block may spill: there is no other.
void compilesAsChosen(AttentionCase tested, uint64_t seed) {
  std::mt19937_64 random(seed);
  const Draw of(random);
  const int64_t keyHeads = of(1, 2, 8), queries = of(1, 1, 8, 256, 4096);
  const AttentionSizes sizes{
      of(1, 4, 32, 128),
      keyHeads * (tested.form.latent ? of(16, 64, 128) : of(1, 4, 7, 8)),
      keyHeads, queries, queries + of(0, 1024, 32768)};
  choose(tested, sizes);
  SCOPED_TRACE(describe(tested));
  tested.form.logarithms = of(0, 1);
  const Kernel kernel = attention(tested.form, tested.config);
  if (tested.config.bn == (tested.form.type == e4m3 ? 32 : 16))
    EXPECT_NO_THROW(compile(kernel));
  else
    EXPECT_NO_THROW(compileCleanly(kernel));
}

/// Neither does a stage that fits go unused, nor does one that does not pass
/// for one that fits.
TEST(AttentionChoice, CountsSharedMemoryAsTheCompilerDoes) {
  std::vector<AttentionCase> all;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    all.push_back(drawnAttention(seed));
    all.push_back(drawnLatentAttention(seed));
    if (seed % 2)
      for (size_t i = all.size() - 2; i < all.size(); ++i)
        all[i].config.stages = mostStages(all[i].form, all[i].config);
  }
  auto add = [&](AttentionForm form, AttentionConfig config) {
    config.stages = mostStages(formOfTiles(form), config);
    all.push_back({"", form, config, {1, 1, 1, 64, 64}});
  };
  // The narrower of K and V may have the wider swizzle.
  for (auto [d, dv] :
       {std::pair{64, 72}, {64, 80}, {80, 64}, {112, 64}, {208, 104}})
    for (int64_t bn : {48, 80})
      add({.d = d, .dv = dv}, {.bn = bn});
  add({.type = e4m3, .d = 128, .dv = 144}, {.bn = 96});
  add({.d = 64, .dv = 64}, {.bm = 64, .bn = 128, .warpgroups = 1, .ctas = 2});
  add({.d = 64, .dv = 64}, {.bn = 128, .queries = 2});
  CompileOptions options;
  options.assemble = false;
  int compared = 0;
  for (const AttentionCase &each : all) {
    const AttentionForm &form = each.form;
    const AttentionConfig &config = each.config;
    if (config.stages < leastStages(form, config))
      continue;
    SCOPED_TRACE(describe(each));
    const int64_t most = sharedBytes(formOfTiles(form), config);
    const int64_t planned =
        compile(attention(form, config), options).artifact.sharedBytes;
    EXPECT_LE(planned, most);
    EXPECT_GE(planned,
              most - 64 - (form.modify || form.mask ? bytesOfAuthor : 0));
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(AttentionChoice, IsTheModelsFastest) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const AttentionCase tested = drawnAttention(seed);
    const AttentionSizes sizes = sizesOf(tested.form, tested.lengths);
    const AttentionChoice best = attention_auto(tested.form, sizes);
    for (const AttentionChoice &other :
         attention_candidates(tested.form, sizes)) {
      EXPECT_LE(best.cost.total, other.cost.total);
      EXPECT_EQ(other.cost.total,
                attention_cost(tested.form, sizes, other).total);
    }
  }
}

TEST(AttentionChoice, SharesKeysOutWhereTilesAreFew) {
  const AttentionForm form{.page = 16};
  /// How much longer it takes without parts.
  auto withoutParts = [&](const AttentionSizes &sizes) {
    std::vector<AttentionChoice> all = attention_candidates(form, sizes);
    const double best = all.front().cost.total;
    std::erase_if(all, [](const AttentionChoice &c) { return c.splits > 0; });
    return all.front().cost.total / best;
  };
  const AttentionSizes one{1, 64, 8, 1, 8192};
  EXPECT_EQ(attention_auto(form, one).group, 8);
  EXPECT_GT(attention_auto(form, one).splits, 4);
  EXPECT_GT(withoutParts(one), 2);
  EXPECT_LT(withoutParts({128, 64, 8, 1, 32768}), 1.01);
  EXPECT_THAT(why(attention_candidates(form, one), 2),
              testing::HasSubstr("total us"));
}

TEST(AttentionChoice, KeepsLatentKeysInTwoWarpgroups) {
  const AttentionForm form{.d = 576, .dv = 512, .latent = true, .page = 64};
  const AttentionChoice choice = attention_auto(form, {32, 128, 1, 1, 8192});
  EXPECT_TRUE(choice.config.apart);
  EXPECT_EQ(choice.group, 128);
  EXPECT_EQ(choice.config.bn, 64);
  EXPECT_EQ(choice.splits, 2);
}

/// What three warpgroups hide of each other's softmax is worth more than what
/// tiles of 192 rows lose at the end of a sequence, where that is long; where
/// it is short CTAs of one warpgroup share an SM.
TEST(AttentionChoice, TakesThreeWarpgroupsWhereSequencesAreLong) {
  const AttentionForm full{.d = 64, .dv = 64};
  AttentionForm causal = full;
  causal.after = 0;
  causal.logarithms = true;
  auto warpgroups = [](const AttentionForm &form, int64_t length) {
    const AttentionSizes sizes{16384 / length, 32, 32, length, length};
    const AttentionConfig config = attention_auto(form, sizes).config;
    EXPECT_GE(config.bn, config.ctas > 1 ? 64 : 96);
    EXPECT_NO_THROW(compileCleanly(attention(form, config)));
    return config.warpgroups;
  };
  EXPECT_EQ(warpgroups(full, 1024), 1);
  EXPECT_EQ(warpgroups(full, 4096), 3);
  EXPECT_EQ(warpgroups(causal, 1024), 1);
  EXPECT_EQ(warpgroups(causal, 16384), 3);
}

/// Where tiles have as many keys as one another it brings nothing.
TEST(AttentionChoice, IsDynamicWhereTilesAreUneven) {
  auto isDynamic = [](const AttentionForm &form, const AttentionSizes &sizes) {
    return attention_auto(form, sizes).config.dynamic;
  };
  for (int64_t d : {64, 128, 256}) {
    AttentionForm form{.d = d, .dv = d};
    const AttentionSizes square{4, 16, 16, 4096, 4096};
    EXPECT_FALSE(isDynamic(form, square)) << d;
    form.packed = true;
    EXPECT_FALSE(isDynamic(form, square)) << d;
    form.after = 0;
    EXPECT_TRUE(isDynamic(form, square)) << d;
    form.packed = false;
    EXPECT_TRUE(isDynamic(form, square)) << d;
    form.before = 100;
    EXPECT_FALSE(isDynamic(form, square)) << d;
  }
  const AttentionForm decoding{.after = 0, .page = 16};
  for (int64_t sequences : {1, 17, 34, 128})
    for (int64_t queries : {1, 8})
      EXPECT_FALSE(isDynamic(decoding, {sequences, 64, 8, queries, 8192}))
          << sequences << " " << queries;
}

/// A launch of some microseconds of parts, or of tiles of one warpgroup.
TEST(AttentionChoice, BeginsEarlyWhereLaunchesAreShort) {
  auto isEarly = [](const AttentionForm &form, const AttentionSizes &sizes) {
    return attention_auto(form, sizes).config.early_launch;
  };
  const AttentionForm decoding{.page = 16};
  EXPECT_TRUE(isEarly(decoding, {1, 64, 8, 1, 8192}));
  EXPECT_FALSE(isEarly(decoding, {32, 64, 8, 1, 8192}));
  EXPECT_TRUE(isEarly({}, {1, 16, 16, 512, 512}));
  EXPECT_FALSE(isEarly({}, {1, 16, 16, 1024, 1024})); // two warpgroups
}

/// Equal tiles take whole waves, whoever takes them.
TEST(AttentionChoice, KnowsThatEqualTilesTakeWaves) {
  const AttentionForm form{.packed = true};
  for (int64_t heads : {132, 133, 300}) {
    auto cost = [&](bool dynamic) {
      AttentionConfig config;
      config.dynamic = dynamic;
      return attention_cost(form, {1, heads, heads, 128, 4096},
                            {1, config, 0, {}})
          .total;
    };
    EXPECT_GE(cost(true), cost(false) * 0.999) << heads;
  }
}

/// From launch to launch math holds what lies in L2, and DRAM what does not.
TEST(AttentionChoice, KnowsWhatL2Holds) {
  const AttentionForm form{.d = 128, .dv = 128, .page = 16};
  auto ofSmallBlocks = [&](int64_t sequences) {
    auto cost = [&](int64_t keys) {
      AttentionConfig config{.bm = 64, .bn = keys, .warpgroups = 1};
      config.splits = true;
      config.stages = mostStages(form, config);
      return attention_cost(form, {sequences, 64, 8, 1, 8192},
                            {8, config, 16, {}})
          .total;
    };
    return cost(32) / cost(64);
  };
  EXPECT_GT(ofSmallBlocks(1), 1.05);
  EXPECT_LT(ofSmallBlocks(4), 1.02);
}

TEST(AttentionChoice, OfNoQueryHasACost) {
  AttentionForm form{.after = 0};
  for (bool packed : {false, true}) {
    form.packed = packed;
    for (const AttentionChoice &choice :
         attention_candidates(form, {1, 4, 4, 0, 100}))
      EXPECT_TRUE(std::isfinite(choice.cost.total));
  }
}

TEST(AttentionChoice, OfWideHeadsDoesNotSpill) {
  for (int64_t d : {160, 192, 224, 256})
    for (int64_t threshold : {0, 8}) {
      const AttentionForm form{.d = d, .dv = d, .rescale_threshold = threshold};
      const AttentionSizes sizes{4, 8, 8, 4096, 4096};
      const AttentionConfig config = attention_auto(form, sizes).config;
      EXPECT_GE(config.bn, threshold ? 64 : 80);
      EXPECT_NO_THROW(compileCleanly(attention(form, config)))
          << d << " threshold " << threshold;
    }
}

TEST(AttentionChoice, LagsBehindOnlyWhereTheFormSaysSo) {
  for (int64_t threshold : {0, 8}) {
    const Artifact compiled =
        compile(attention({.rescale_threshold = threshold}, {})).artifact;
    EXPECT_EQ(compiled.ptx.find("vote.sync.all") != std::string::npos,
              threshold > 0);
  }
}

TEST(AttentionChoice, SaysWhatIsExposed) {
  const AttentionForm form{.d = 64, .dv = 64};
  const AttentionSizes sizes{4, 32, 32, 4096, 4096};
  auto exposed = [&](const AttentionConfig &config) {
    const AttentionCost cost = attention_cost(form, sizes, {1, config, 0, {}});
    EXPECT_LT(cost.exposed, cost.math);
    return cost.exposed / cost.math;
  };
  EXPECT_LT(exposed({.bm = 192, .stages = 6, .warpgroups = 3}),
            exposed({.bm = 128, .stages = 8, .warpgroups = 2}));
}

/// Where all columns of V are one part there is one order of 8 bits.
TEST(AttentionChoice, TriesBothOrdersOf8Bits) {
  auto orders = [](int64_t d) {
    std::set<bool> all;
    for (const AttentionChoice &choice : attention_candidates(
             {.type = e4m3, .d = d, .dv = d}, {4, 8, 8, 4096, 4096}))
      all.insert(choice.config.eager);
    return all;
  };
  EXPECT_EQ(orders(64), std::set{true});
  EXPECT_EQ(orders(128), (std::set{false, true}));
  EXPECT_EQ(orders(256), (std::set{false, true}));
}

/// They have the registers.
TEST(AttentionChoice, TakesLargeBlocksOf8Bits) {
  for (auto [d, keys] : {std::pair{128, 128}, {256, 96}})
    for (std::optional<int64_t> after : {std::optional<int64_t>(), {0}}) {
      const AttentionForm form{.type = e4m3, .d = d, .dv = d, .after = after};
      const AttentionConfig config =
          attention_auto(form, {4, 8, 8, 4096, 4096}).config;
      EXPECT_EQ(config.bn, keys);
      EXPECT_NO_THROW(compileCleanly(attention(form, config)));
    }
}

TEST(AttentionChoice, TellsThatPagesOf8BitsAreTooSmall) {
  try {
    attention_auto({.type = e4m3, .page = 16}, {1, 1, 1, 1, 1});
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("pages of 16 keys of e4m3"));
  }
}

TEST(AttentionChoice, TellsThatThereIsNone) {
  try {
    attention_auto({.d = 1024, .dv = 1024}, {1, 1, 1, 1, 1});
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("AttentionChoiceTest.cpp:"));
    EXPECT_THAT(error.what(),
                testing::HasSubstr("no configuration for heads of 1024"));
  }
}

TEST(AttentionChoice, SaysWhatIsWrongWithAProblem) {
  auto refusal = [](const AttentionForm &form, const AttentionSizes &sizes) {
    try {
      attention_auto(form, sizes);
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using testing::HasSubstr;
  const AttentionSizes one{1, 2, 1, 1, 1};
  EXPECT_THAT(
      refusal({}, {1, 2, 0, 1, 1}),
      HasSubstr("the number of heads of K (keyHeads) is 0: use at least 1"));
  EXPECT_THAT(refusal({}, {-2, 2, 1, 1, 1}), HasSubstr("sequences is -2"));
  EXPECT_THAT(refusal({}, {1, 16, 3, 1, 1}),
              HasSubstr("the 16 heads of Q are no multiple of the 3 of K"));
  EXPECT_THAT(refusal({.dv = 0}, one),
              HasSubstr("the head dimension of V is 0: use at least 1"));
  EXPECT_THAT(refusal({.page = 0}, one), HasSubstr("keys of a page is 0"));
  EXPECT_THAT(refusal({.rescale_threshold = 9}, one),
              HasSubstr("use a rescale_threshold from 0 to 8"));
  EXPECT_THAT(refusal({.type = e4m3, .rescale_threshold = 1}, one),
              HasSubstr("use a rescale_threshold of 0"));
  EXPECT_THAT(refusal({.type = f32}, one),
              HasSubstr("there is no product of f32 here"));
  EXPECT_THAT(refusal({.page = 20}, one), HasSubstr("pages of 20 keys"));
  EXPECT_THAT(refusal({.before = -3, .after = 2}, one),
              HasSubstr("no query sees a key: use a before of at least -2"));
  EXPECT_THAT(refusal({.d = 44, .dv = 40}, one), HasSubstr("multiple of 8"));
  EXPECT_TRUE(attention_candidates({.d = 44, .dv = 40}, one).empty());
  EXPECT_THAT(refusal({.type = e4m3, .dv = 130}, one),
              HasSubstr("multiple of 16"));
  EXPECT_THAT(refusal({.dv = int64_t(1) << 62}, one),
              HasSubstr("use at most 1048576"));
  EXPECT_THROW(attention_cost({}, one, {1, {.bn = 0}, 0, {}}), Error);
  EXPECT_THROW(attention_cost({}, one, {1, {}, 4, {}}), Error);
  EXPECT_THROW(attention_cost({}, one, {1, {.splits = true}, -4, {}}), Error);
  EXPECT_THROW(part_sizes({}, {.bm = 0}, one), Error);
  EXPECT_THROW(part_sizes({}, {}, {.queries = -1}), Error);
  EXPECT_THAT(refusal({.d = 64, .dv = 128, .latent = true}, one),
              HasSubstr("V has 128 columns, of K's 64"));
}

/// As many keys to a block as registers are said to hold, of a configuration
/// that need not be fast: neither spills nor products one after another.
void compilesWithWidestBlocks(uint64_t seed) {
  std::mt19937_64 random(seed);
  const Draw of(random);
  AttentionForm form;
  if (of(0, 0, 1))
    form.type = e4m3;
  const int64_t unit = form.type == e4m3 ? 16 : 8;
  form.d = unit * (1 + int64_t(random() % (256 / uint64_t(unit))));
  form.dv = of(form.d, form.d, 64, 128);
  form.logarithms = of(0, 1);
  if (of(0, 1))
    form.after = 0;
  AttentionConfig config{.stages = 3};
  config.warpgroups = of(1, 2, 3);
  config.bm = 64 * config.warpgroups;
  config.queries = of(1, 2);
  config.ctas = config.warpgroups == 3 ? 1 : of(1, 2);
  config.eager = (form.d >= 128 || form.type == e4m3) && of(0, 1);
  config.dynamic = form.after && of(0, 1);
  if (!isOf8Bits(form))
    form.rescale_threshold = of(0, 8);
  std::optional<AttentionConfig> widest;
  for (config.bn = 16; config.bn <= 256; config.bn += 16)
    if (fitsRegisters(form, config) && notBuildable(form, config).empty())
      widest = config;
  if (!widest)
    return;
  SCOPED_TRACE(testing::Message()
               << name(form.type) << " d " << form.d << " dv " << form.dv
               << ", " << widest->bm << "x" << widest->bn << " ctas "
               << widest->ctas << " queries " << widest->queries << " eager "
               << widest->eager << " dynamic " << widest->dynamic << " L "
               << form.logarithms << " threshold " << form.rescale_threshold);
  EXPECT_NO_THROW(compileCleanly(attention(form, *widest)));
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  for (uint64_t seed = 0; seed < (isSimulated() ? 40 : 150); ++seed)
    registerTest("ChosenAttention",
                 "widest blocks, compiled, seed " + std::to_string(seed),
                 [seed] { compilesWithWidestBlocks(seed); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 60 : 150); ++seed)
    registerTest("ChosenAttention", "compiled, seed " + std::to_string(seed),
                 [seed] { compilesAsChosen(drawnAttention(seed), seed); });
  for (uint64_t seed = 0; seed < (isSimulated() ? 30 : 150); ++seed)
    registerTest("ChosenAttention",
                 "any heads, compiled, seed " + std::to_string(seed), [seed] {
                   compilesAsChosen(withDrawnHeads(drawnAttention(seed), seed),
                                    seed);
                 });
  for (uint64_t seed = 0; seed < (isSimulated() ? 8 : 100); ++seed)
    registerTest(
        "ChosenAttention", "latent, compiled, seed " + std::to_string(seed),
        [seed] { compilesAsChosen(drawnLatentAttention(seed), seed); });
});

} // namespace
} // namespace ashlar::test
