#include "ashlar/gemm_auto.h"

#include <gmock/gmock.h>

namespace ashlar {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const GemmTypes half{};
const GemmTypes fast{e4m3, e4m3, bf16, Accumulation::fast};
const GemmTypes full{e4m3, e4m3, bf16, Accumulation::full};

std::string whyNot(const char *config, const GemmTypes &types = half,
                   const GemmSizes &sizes = {4096, 4096, 4096},
                   const GemmForm &form = {}) {
  return why_not(sizes, types, GemmConfig::parse(config), form);
}

TEST(GemmWhyNot, AcceptsUsualConfigurations) {
  for (const char *config :
       {"128x256x64 s4 w2 c2x1 g8 e64x2", "256x128x64 s3 w2 c1x2",
        "64x8x64 s12 w1 e8x1 swapped", "128x128x64 s4 w2 pingpong",
        "64x64x64 s8 w1 c2x2 k2", "192x128x64 s4 w3",
        "128x256x64 s4 w2 streamk", "64x64x64 s8 w1 early"})
    EXPECT_THAT(whyNot(config), IsEmpty()) << config;
}

TEST(GemmWhyNot, RefusesRowsThatWarpgroupsCannotShare) {
  EXPECT_EQ(whyNot("96x128x64 s4 w1"),
            "the tile has 96 rows; a warpgroup needs a multiple of 64 up to "
            "256: use bm = 128");
  EXPECT_THAT(whyNot("64x128x64 s4 w2"), HasSubstr("use bm = 128"));
  EXPECT_THAT(whyNot("320x64x64 s2 w1"), HasSubstr("use bm = 256"));
}

TEST(GemmWhyNot, RefusesColumnsThatWgmmaDoesNotHave) {
  EXPECT_THAT(whyNot("128x100x64"), HasSubstr("use bn = 104"));
  EXPECT_THAT(whyNot("128x512x64"), HasSubstr("use bn = 256"));
}

TEST(GemmWhyNot, RefusesDepthsThatWgmmaDoesNotHave) {
  EXPECT_THAT(whyNot("128x128x40"), HasSubstr("use bk = 48"));
}

TEST(GemmWhyNot, RefusesStagesThatEndWithinASumInFull) {
  EXPECT_THAT(whyNot("128x128x192 s3", full),
              HasSubstr("leaves the tensor cores after each 128"));
  EXPECT_THAT(whyNot("128x128x192 s3", fast), IsEmpty());
  EXPECT_THAT(whyNot("128x128x256 s3", full), IsEmpty());
}

TEST(GemmWhyNot, RefusesSumsThatDoNotFitRegisters) {
  EXPECT_THAT(whyNot("256x256x64 s2"), HasSubstr("use bn = 200"));
  EXPECT_THAT(whyNot("128x256x128 s4", full),
              HasSubstr("fp8 summed in full has them twice"));
  EXPECT_THAT(whyNot("128x192x128 s4", full), IsEmpty());
  EXPECT_THAT(whyNot("192x208x64 s3 w3"), HasSubstr("use bn = 200"));
}

TEST(GemmWhyNot, RefusesPingPongOfOtherThanTwo) {
  EXPECT_THAT(whyNot("64x128x64 s4 w1 pingpong"),
              HasSubstr("use warpgroups = 2"));
}

TEST(GemmWhyNot, RefusesClustersThatAreTooLarge) {
  EXPECT_THAT(whyNot("128x128x64 s4 c2x4 k2"),
              HasSubstr("has 16 CTAs; 8 is the most"));
}

TEST(GemmWhyNot, RefusesSlicesOfPartsOfASwizzleAtom) {
  EXPECT_EQ(whyNot("64x16x64 s4 w1 c4x1 e16x1"),
            "bn is 16; 4 CTAs share it in slices of whole swizzle atoms of 8 "
            "rows: use a multiple of 32, or cluster_m = 2");
}

TEST(GemmWhyNot, RefusesMorePartsThanStages) {
  EXPECT_THAT(whyNot("64x64x64 s4 w1 k4", half, {64, 64, 128}),
              HasSubstr("K has 2 stages"));
}

TEST(GemmWhyNot, RefusesPartsOfTooFewColumns) {
  EXPECT_EQ(whyNot("64x72x64 s4 w1 k2"),
            "split-K over 2 CTAs leaves each 36 of 72 columns to add up; it "
            "needs a multiple of 8: use bn = 80");
  EXPECT_THAT(whyNot("64x8x64 s4 w1 k2 e8x1 swapped"), HasSubstr("bn = 16"));
}

TEST(GemmWhyNot, RefusesStoresThatDoNotCutTheTile) {
  EXPECT_EQ(whyNot("128x208x64 s4 e52x2"),
            "the 208 columns of a CTA are stored by 52 of bf16, the last 52; "
            "TMA stores multiples of 8 up to 64, and last fewer than a block "
            "of the others' swizzle, or whole ones: use store_columns = 64");
  EXPECT_THAT(whyNot("128x208x64 s4 e48x2"), IsEmpty());
  EXPECT_THAT(whyNot("128x72x64 s4 e48x2"), HasSubstr("the last 24"));
  EXPECT_THAT(whyNot("128x96x64 s4 e64x2"), IsEmpty());
  EXPECT_THAT(whyNot("128x128x64 s4 e128x1"),
              HasSubstr("use store_columns = 64"));
}

TEST(GemmWhyNot, CountsNoStagingOfItsOwnInTheRing) {
  EXPECT_THAT(whyNot("256x176x64 s4 e64x0"), IsEmpty());
  EXPECT_THAT(whyNot("256x176x64 s4 e64x1"), HasSubstr("at most 3 stages"));
}

TEST(GemmWhyNot, RefusesStripsThatNoTileOfAStageHolds) {
  EXPECT_EQ(whyNot("128x32x16 s4 e32x0"),
            "results are staged in a stage of the ring, and no tile of it "
            "holds the 8192 bytes of 32 columns: use store_columns = 16");
}

TEST(GemmWhyNot, SaysHowManyStagesFit) {
  EXPECT_THAT(whyNot("128x256x64 s5"), HasSubstr("at most 4 stages"));
  EXPECT_THAT(whyNot("128x256x512 s1"), HasSubstr("use a smaller tile"));
}

TEST(GemmWhyNot, RefusesStreamKOfTilesThatAreShared) {
  EXPECT_EQ(whyNot("128x256x64 s4 w2 c2x1 streamk"),
            "stream_k deals out steps of K to single CTAs, and a cluster of "
            "2x1 shares them: use a cluster of 1x1");
  EXPECT_THAT(whyNot("128x128x64 s4 w2 k2 streamk"),
              HasSubstr("use split = 1"));
  EXPECT_THAT(whyNot("128x128x64 s4 w2 pingpong streamk"),
              HasSubstr("use one of the two"));
  EXPECT_THAT(whyNot("256x192x64 s3 w2 e32x1 streamk"),
              HasSubstr("can spare 160: use bn = 160"));
}

TEST(GemmWhyNot, RefusesOperandsOfDifferentSizes) {
  EXPECT_THAT(whyNot("128x128x64 s2", {bf16, e4m3, bf16}),
              HasSubstr("operands of one size"));
}

GemmTypes stored(ElementType type, const char *layout) {
  GemmTypes types{type, type, bf16};
  types.layout = GemmLayout::parse(layout);
  return types;
}

TEST(GemmWhyNot, RefusesLayoutsThatWgmmaDoesNotTake) {
  const GemmSizes any{512, 512, 512};
  const GemmConfig config = GemmConfig::parse("128x128x64 s4 w2");
  EXPECT_EQ(why_not(any, stored(bf16, "NTN"), config), "");
  EXPECT_THAT(why_not(any, stored(e4m3, "NN"), config),
              HasSubstr("A is e4m3 and stored K×M; wgmma transposes elements "
                        "of 16 bits only: use prepared_a = true"));
  EXPECT_THAT(why_not(any, stored(tf32, "TT"), config),
              HasSubstr("B is tf32 and stored K×N"));
  EXPECT_THAT([] { GemmLayout::parse("RowMajor"); },
              ThrowsMessage<Error>(HasSubstr("'RowMajor' is no layout")));
}

TEST(GemmWhyNot, RefusesRowsThatNobodyLoads) {
  const GemmTypes odd = stored(bf16, "TN:2,16,2");
  auto whyNot = [&](const char *config, const GemmTypes &types) {
    return why_not({512, 512, 512}, types, GemmConfig::parse(config));
  };
  EXPECT_EQ(whyNot("128x128x64 s3 w2 prepared-a", odd), "");
  EXPECT_EQ(whyNot("128x128x64 s4 w2 l8", odd), "");
  EXPECT_THAT(whyNot("128x128x64 s4 w2", odd),
              HasSubstr("rows of A begin on less than the 16 bytes that TMA "
                        "needs: use prepared_a = true, or load_warps = 8"));
  EXPECT_THAT(whyNot("128x128x64 s4 w2 l5", odd), HasSubstr("use 1, 4 or 8"));
  EXPECT_EQ(whyNot("128x128x64 s4 w2 l8x2", odd), "");
  EXPECT_THAT(whyNot("128x128x64 s4 w2 l8x3", odd),
              HasSubstr("8 warps load in 3 groups: use a load_groups that "
                        "divides load_warps"));
  EXPECT_THAT(whyNot("128x128x64 s3 w2 l8x2", odd),
              HasSubstr("2 groups of warps take 3 stages in turns: use a "
                        "multiple for stages, or another load_groups"));
  EXPECT_THAT(whyNot("128x128x64 s4 w2 l8", half),
              HasSubstr("TMA loads all operands"));
  EXPECT_THAT(whyNot("128x128x64 s4 w2 c1x2 l8", odd),
              HasSubstr("can't share them with the cluster"));
  EXPECT_EQ(whyNot("128x128x64 s4 w2 c2x1 l8", odd), "");
  EXPECT_THAT(whyNot("128x240x64 s3 w2 l8", odd),
              HasSubstr("it starts with 128: use a smaller tile"));
  EXPECT_THAT(whyNot("192x128x64 s3 w3 prepared-a", odd),
              HasSubstr("use warpgroups = 1 or 2"));
  GemmTypes third = half;
  third.layout.align_a = 3;
  EXPECT_THAT(whyNot("128x128x64 s4 w2", third),
              HasSubstr("align_a is 3: use a power of two from 2"));
  EXPECT_THAT(why_not({512, 512, 511}, half, GemmConfig()),
              HasSubstr("use layout.align_a = 2, as aligned_as does"));
}

TEST(GemmWhyNot, RefusesToTransposeWhatIsNotInItsStages) {
  const GemmTypes rows = stored(e4m3, "TT");
  auto whyNot = [&](const char *config, const GemmTypes &types) {
    return why_not({512, 512, 512}, types, GemmConfig::parse(config));
  };
  EXPECT_EQ(whyNot("128x128x128 s3 w2 transposed-b", rows), "");
  EXPECT_EQ(whyNot("128x128x32 s3 w2 e32x1 transposed-b", stored(tf32, "TT")),
            "");
  EXPECT_THAT(whyNot("128x128x128 s3 w2", rows),
              HasSubstr("transposed_b = true, which transposes it"));
  EXPECT_THAT(whyNot("128x128x128 s3 w2 transposed-b prepared-b", rows),
              HasSubstr("B is prepared, from which on it has K contiguous"));
  EXPECT_THAT(whyNot("128x128x128 s3 w2 transposed-b transposed-a", rows),
              HasSubstr("take A as it is stored: use transposed_a = false"));
  EXPECT_THAT(whyNot("128x128x64 s3 w2 transposed-b", stored(bf16, "TT")),
              HasSubstr("take B as it is stored"));
  EXPECT_THAT(
      whyNot("128x128x128 s3 w2 transposed-b", stored(e4m3, "TT:16,8,16")),
      HasSubstr("rows of B begin on less than the 16 bytes"));
  EXPECT_THAT(
      whyNot("128x128x128 s3 w2 transposed-b l8", stored(e4m3, "TT:8,16,16")),
      HasSubstr("what transposes stages needs their registers"));
  EXPECT_THAT(whyNot("128x24x128 s3 w2 e8x1 transposed-b", rows),
              HasSubstr("has 24 elements in a row, and TMA stores 16 bytes at "
                        "a time: use bn = 32"));
  EXPECT_THAT(whyNot("128x128x128 s3 w2 e64x0 transposed-b", rows),
              HasSubstr("taken by another role"));
  EXPECT_EQ(whyNot("128x128x128 s3 w2 e64x0 transposed-b swapped", rows), "");
  EXPECT_EQ(whyNot("128x192x128 s3 w2 transposed-b", rows), "");
  EXPECT_THAT(whyNot("128x256x128 s3 w2 transposed-b", rows),
              HasSubstr("it starts with 128: use bn = 192"));
  GemmTypes inFull = rows;
  inFull.accumulation = Accumulation::full;
  EXPECT_THAT(whyNot("128x192x128 s3 w2 transposed-b", inFull),
              HasSubstr("168 can be spared"));
  EXPECT_THAT(
      why_not({512, 512, 512},
              {f32, f32, f32, Accumulation::full, GemmLayout::parse("TT")},
              GemmConfig::parse("64x64x32 s3 w1 e32x1 transposed-b")),
      HasSubstr("stages of f32 are taken apart"));
  const GemmTypes unsignedA = {u8, s8, s32, Accumulation::full,
                               GemmLayout::parse("NN")};
  EXPECT_EQ(whyNot("128x64x128 s3 w2 e32x1 transposed-a swapped", unsignedA),
            "");
  EXPECT_THAT(whyNot("128x64x128 s3 w2 e32x1 transposed-a", unsignedA),
              HasSubstr("A is u8, which registers have not, and through them "
                        "rows of the tile are transposed: use swapped = true"));
  // Registers that hold a stage of A are not there for sums.
  EXPECT_EQ(whyNot("64x256x128 s3 w1 transposed-a", stored(e4m3, "NN")), "");
  EXPECT_EQ(whyNot("256x136x128 s3 w2 transposed-a", stored(e4m3, "NN")), "");
  EXPECT_THAT(whyNot("256x144x128 s3 w2 transposed-a", stored(e4m3, "NN")),
              HasSubstr("136 can be spared"));
  EXPECT_THAT(whyNot("256x8x512 s2 w2 e8x1 transposed-a", stored(e4m3, "NN")),
              HasSubstr("take 128 registers of a thread, and the next one's as "
                        "many, which leaves 0 for sums: use bk = 256"));
}

TEST(GemmWhyNot, CutsAnOperandThatHasNotKContiguousInDepth) {
  const GemmConfig shallow = GemmConfig::parse("128x128x16 s4 w2 c1x4");
  EXPECT_EQ(why_not({512, 512, 512}, stored(bf16, "TN"), shallow), "");
  EXPECT_THAT(why_not({512, 512, 512}, stored(bf16, "NN"), shallow),
              HasSubstr("bk is 16; 4 CTAs share it"));
}

TEST(GemmWhyNot, KnowsWhatIntegersHave) {
  const GemmConfig narrow = GemmConfig::parse("64x40x128 s4 w1 e8x1");
  EXPECT_EQ(why_not({512, 512, 512}, {e4m3, e4m3, f32}, narrow), "");
  EXPECT_THAT(why_not({512, 512, 512}, {s8, s8, s32}, narrow),
              HasSubstr("wgmma has 8, 24 or a multiple of 16"));
  const GemmConfig config = GemmConfig::parse("128x128x128 s4 w2 e32x1");
  EXPECT_EQ(why_not({512, 512, 512}, {s8, u8, s32}, config), "");
  EXPECT_THAT(why_not({512, 512, 512}, {s8, e4m3, bf16}, config),
              HasSubstr("wgmma multiplies integers with integers"));
  EXPECT_THAT(why_not({512, 512, 512}, {bf16, bf16, s32}, config),
              HasSubstr("the sums of bf16 are f32"));
  EXPECT_EQ(why_not({512, 512, 512}, {s8, u8, s32}, config,
                    {.row_zeros = true, .column_zeros = true}),
            "");
  EXPECT_THAT(
      why_not({512, 512, 512}, {e4m3, e4m3, bf16}, config, {.row_zeros = true}),
      HasSubstr("zero points are subtracted from sums of integers"));
  EXPECT_THAT(why_not({512, 512, 512}, {s8, s8, s32}, config, {.alpha = true}),
              HasSubstr("D is s32, and what the form computes"));
}

TEST(GemmWhyNot, KnowsWhatF32InPartsTakes) {
  const GemmTypes f32s{f32, f32, f32};
  EXPECT_THAT(whyNot("128x176x32 s4 w2 e32x1", f32s), IsEmpty());
  EXPECT_EQ(whyNot("128x176x48 s2 w2 e32x1", f32s),
            "a stage is 48 deep; f32 leaves the tensor cores after each 32: "
            "use a multiple of that, or less");
  EXPECT_EQ(whyNot("128x192x32 s3 w2 e32x1", f32s),
            "the sums of a tile of 128x192 take 192 registers of a thread, as "
            "f32 has them twice; 176 can be spared: use bn = 176");
  EXPECT_THAT(whyNot("128x160x32 s4 w2 e32x1 bf16-parts", f32s), IsEmpty());
  EXPECT_EQ(whyNot("128x128x64 s2 w2 e32x1 bf16-parts", f32s),
            "a stage is 64 deep; bf16_parts are made of 32 at a time: use "
            "that for bk");
  EXPECT_EQ(whyNot("128x80x32 s4 w2 e16x1 bf16-parts", f32s),
            "the tile has 80 columns; bf16_parts are made of 32 at a time: use "
            "a multiple");
  EXPECT_EQ(whyNot("192x64x32 s4 w3 e32x1 bf16-parts", f32s),
            "3 warpgroups of math leave the one that makes bf16_parts too few "
            "registers: use 2");
  EXPECT_THAT(whyNot("128x192x32 s3 w2 e32x1 bf16-parts", f32s),
              HasSubstr("use bn = 160"));
  EXPECT_EQ(
      whyNot("128x128x32 s4 w2 e32x1 bf16-parts", {tf32, tf32, f32}),
      "bf16_parts is for f32, which alone has parts: use bf16_parts = false");
  EXPECT_THAT(whyNot("128x128x32 s3 w2 e32x0", f32s),
              HasSubstr("use store_buffers = 1"));
  // Both tiles of small parts take room.
  EXPECT_THAT(whyNot("128x128x32 s7 w2 e32x1", f32s),
              HasSubstr("use at most 5 stages"));
  EXPECT_THAT(whyNot("128x128x32 s4 w2 e32x1", {f32, tf32, f32}),
              HasSubstr("call both f32, or both tf32"));
  EXPECT_THAT(whyNot("128x128x32 s4 w2 e32x1",
                     {f32, f32, f32, Accumulation::fast, {.b_n_major = true}}),
              HasSubstr("B is f32 and stored K×N"));
}

TEST(GemmWhyNot, RefusesTypesThatNothingMultiplies) {
  const GemmConfig config = GemmConfig::parse("128x64x64 s3 w2 e32x1");
  auto whyNot = [&](const GemmTypes &types) {
    return why_not({512, 512, 512}, types, config);
  };
  EXPECT_THAT(whyNot({bf16, f16, bf16}),
              HasSubstr("multiplies those of more than 8 bits with their own"));
  EXPECT_THAT(whyNot({s16, s16, f32}), HasSubstr("A is s16; operands are"));
  EXPECT_THAT(whyNot({e4m3, s4, f32}), HasSubstr("B is s4; operands are"));
  EXPECT_THAT(whyNot({bf16, bf16, e8m0}), HasSubstr("D is e8m0; results are"));
  EXPECT_THAT([] { gemm_auto({8, 8, 8}, {bf16, f16, bf16}); },
              ThrowsMessage<Error>(HasSubstr("convert one of them")));
  for (ElementType d : {bf16, f16, f32, e4m3, e5m2, s8, u8})
    EXPECT_EQ(whyNot({bf16, bf16, d}), "") << name(d);
}

TEST(GemmWhyNot, RefusesWhatWouldOverflow) {
  GemmConfig config;
  for (auto field : {&GemmConfig::split, &GemmConfig::cluster_m,
                     &GemmConfig::stages, &GemmConfig::bk, &GemmConfig::bm})
    for (int64_t value : {int64_t(1) << 62, INT64_MAX, int64_t(-8)}) {
      config = GemmConfig();
      config.*field = value;
      EXPECT_THAT(why_not({512, 512, 512}, {}, config), HasSubstr("use 1 to "));
    }
  config = GemmConfig();
  config.load_warps = -8;
  EXPECT_THAT(why_not({512, 512, 512}, {}, config), HasSubstr("use 1, 4 or 8"));
  for (const GemmSizes &sizes :
       {GemmSizes{INT64_MAX, 8, 8}, GemmSizes{8, 8, int64_t(1) << 31}})
    EXPECT_THAT([&] { gemm_auto(sizes); },
                ThrowsMessage<Error>(HasSubstr("use 0 to 2146435072")));
  EXPECT_THAT(
      [] { gemm_auto({64, 64, 64, 100'000'000'000}, {}, {.batched = true}); },
      ThrowsMessage<Error>(HasSubstr("batch is 100000000000")));
  EXPECT_THAT([] { gemm_auto({2'000'000'000, 2'000'000'000, 64}); },
              ThrowsMessage<Error>(HasSubstr("D has more bytes than")));
  // It takes no longer than usual.
  EXPECT_GT(gemm_auto({16'000'000, 4'000'000, 64}).bm, 0);
}

TEST(GemmWorkspace, RefusesWhatNoKernelIsBuiltOf) {
  GemmConfig config;
  EXPECT_THAT([&] { gemm_workspace({8, 8, 8}, {}, config, {}, 0); },
              ThrowsMessage<Error>(HasSubstr("1 CTA or more, not 0")));
  EXPECT_THAT([&] { gemm_workspace({-8, 8, 8}, {}, config, {}, 1); },
              ThrowsMessage<Error>(HasSubstr("m is -8")));
  config.bm = 0;
  EXPECT_THAT([&] { gemm_workspace({8, 8, 8}, {}, config, {}, 1); },
              ThrowsMessage<Error>(HasSubstr("bm is 0")));
}

TEST(GemmWhyNot, RefusesRowsThatOverlap) {
  const GemmSizes sizes{16, 24, 32};
  for (auto [stride, name] :
       {std::pair{&GemmSizes::lda, "lda"}, std::pair{&GemmSizes::ldb, "ldb"},
        std::pair{&GemmSizes::ldd, "ldd"}}) {
    GemmSizes apart = sizes;
    apart.*stride = 40;
    EXPECT_EQ(why_not(apart, {}, GemmConfig::parse("64x64x64 s3 w1")), "");
    for (int64_t wrong : {-8, 16}) {
      apart.*stride = wrong;
      EXPECT_THAT(why_not(apart, {}, GemmConfig()),
                  HasSubstr(name + (" is " + std::to_string(wrong)) +
                            " and a row has"));
    }
  }
}

TEST(GemmWhyNot, TakesRowsOfDAsTheyBegin) {
  const GemmConfig config = GemmConfig::parse("64x64x64 s3 w1");
  EXPECT_THAT(why_not({16, 25, 32}, {}, config),
              HasSubstr("rows of D do not begin on multiples of 16 bytes: use "
                        "layout.align_d = 2"));
  EXPECT_EQ(why_not({16, 25, 32, 1, 0, 0, /*ldd=*/32}, {}, config), "");
}

TEST(GemmWhyNot, IsWhatGemmIsRefusedWith) {
  for (const auto &[config, types] :
       {std::pair{"128x256x128 s3 w2 e64x1", full},
        std::pair{"128x128x192 s2 w2", full}, std::pair{"128x100x64", half},
        std::pair{"128x256x64 s5 w2", half},
        std::pair{"64x64x64 s4 w1 c2x1 streamk", half}}) {
    const std::string reason = whyNot(config, types);
    ASSERT_FALSE(reason.empty()) << config;
    const Kernel kernel = gemm(types, GemmConfig::parse(config));
    ASSERT_TRUE(kernel.error()) << config;
    EXPECT_THAT(kernel.error()->what(), HasSubstr("gemm: " + reason));
  }
  EXPECT_FALSE(gemm(half, GemmConfig::parse("128x128x64 s4 w2")).error());
}

TEST(GemmWhyNot, RefusesStripsThatLeaveNoRegistersForTheForm) {
  GemmForm form;
  form.c = true;
  const GemmSizes any{4096, 4096, 4096};
  EXPECT_THAT(whyNot("128x176x64 s4 w2 e64x1 pingpong"), IsEmpty());
  EXPECT_EQ(whyNot("128x176x64 s4 w2 e64x1 pingpong", half, any, form),
            "what is done with strips of 64 columns takes more registers than "
            "the sums of a tile of 128x176 leave: use store_columns = 16");
  EXPECT_THAT(whyNot("128x176x64 s4 w2 e16x1 pingpong", half, any, form),
              IsEmpty());
}

TEST(GemmWhyNot, RefusesSplitKThatHoldsTooManySums) {
  EXPECT_EQ(
      whyNot("128x256x64 s2 w2 k2"),
      "split-K over 2 CTAs holds the 128 sums of a thread and its share of "
      "them, in 176 registers at most: use bn = 224");
  EXPECT_THAT(whyNot("128x224x64 s2 w2 k2 e16x1"), IsEmpty());
}

TEST(GemmWhyNot, AdvisesNoMoreThanATileCanBe) {
  EXPECT_THAT(whyNot("128x64x64 s4 w2 c1x3"),
              HasSubstr("use a multiple of 192, or cluster_n = 1"));
  EXPECT_THAT(whyNot("128x64x64 s4 w2 c1x5"),
              HasSubstr("atoms of 8 rows: use cluster_n = 1"));
  EXPECT_THAT(whyNot("128x248x64 s2 w2 k5"), HasSubstr("use bn = 240"));
}

TEST(GemmWhyNot, CountsStagesThatHaveRoom) {
  EXPECT_THAT(whyNot("128x256x128 s3 w2"), HasSubstr("use at most 2 stages"));
  EXPECT_THAT(whyNot("128x256x192 s2 w2"), HasSubstr("use 1 stage"));
}

TEST(GemmWhyNot, RefusesActivationsThatDoNotExist) {
  EXPECT_EQ(whyNot("128x64x64 s4 w2", half, {4096, 4096, 4096},
                   {.activation = static_cast<Activation>(9)}),
            "there is no activation 9: use none, relu, gelu or silu");
}

TEST(GemmWhyNot, RefusesEdgePartsOfWhatIsCopiedAsAWhole) {
  EXPECT_THAT(whyNot("64x16x64 s4 w1 e16x1 edge-parts"), IsEmpty());
  EXPECT_EQ(whyNot("64x16x64 s4 w1 e16x1 edge-parts", stored(bf16, "NT")),
            "edge_parts has nothing to take apart: A is not stored with K "
            "contiguous, and B is not stored with K contiguous: use "
            "edge_parts = false");
  const GemmTypes odd = stored(bf16, "TN:2,2,16");
  EXPECT_THAT(whyNot("64x64x64 s4 w1 l8 edge-parts", odd),
              HasSubstr("A is loaded by threads, and B is loaded by threads"));
  EXPECT_THAT(whyNot("64x64x64 s4 w1 l8 prepared-b edge-parts", odd),
              IsEmpty());
  EXPECT_THAT(whyNot("64x16x64 s4 w1 c1x8 e16x1 edge-parts"),
              HasSubstr("a tile has 64 rows of A, a part 64, and a tile has 16 "
                        "rows of B, a part 32"));
  EXPECT_THAT(whyNot("64x16x64 s4 w1 c1x8 e16x1 edge-parts swapped"),
              HasSubstr("a tile has 16 rows of A, a part 32, and a tile has 64 "
                        "rows of B, a part 64"));
}

TEST(GemmConfig, ReadsWhatItWrites) {
  for (const std::string text :
       {"128x256x64 s4 w2 c2x1 g8 e64x2",
        "64x16x128 s12 w1 c1x1 k2 z4 e8x1 b3 swapped early",
        "128x64x128 s4 w2 c1x1 g8 e32x1 prepared-a transposed-b streamk",
        "128x64x32 s4 w2 c1x1 g8 e32x1 bf16-parts pingpong",
        "128x64x64 s4 w2 c1x1 g8 e32x1 edge-parts streamk"})
    EXPECT_EQ(GemmConfig::parse(text).str(), text);
}

TEST(GemmConfig, AWordThatIsNoneNamesTheCallersLine) {
  const std::string line = std::to_string(__LINE__ + 1);
  const auto parse = [] { GemmConfig::parse("128x128x64 s4 x2"); };
  EXPECT_THAT(parse, ThrowsMessage<Error>(HasSubstr(
                         "GemmWhyNotTest.cpp:" + line +
                         ": error: 'x2' in '128x128x64 s4 x2' is no part of "
                         "a GEMM configuration")));
  EXPECT_THAT([] { GemmConfig::parse("64x64x64 a17"); },
              ThrowsMessage<Error>(HasSubstr("'a17' in '64x64x64 a17' is no")));
  EXPECT_THAT([] { GemmConfig::parse("64x64x64 g4 z8"); },
              ThrowsMessage<Error>(HasSubstr("'z8' in '64x64x64 g4 z8' is the "
                                             "second of its kind")));
}

} // namespace
} // namespace ashlar
