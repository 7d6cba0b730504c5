// What the library's attention refuses: forms and configurations, and of a
// launch its sizes always, what lies in tensors in kernels that check.

#include "test/kernels/Check.h"

#include "ashlar/attention.h"
#include "ashlar/error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ashlar::test {
namespace {

double startsOfNothing(const Problem &, Coordinate) { return 0; }

TEST(AttentionRefuses, WhatItIsNotMadeFor) {
  auto refusal = [](const AttentionForm &form, const AttentionConfig &config) {
    try {
      compile(attention(form, config));
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using testing::HasSubstr;
  EXPECT_THAT(
      refusal({.page = 48}, {}),
      HasSubstr("pages of 48 keys and blocks of 128 do not meet: use "
                "pages of a multiple of 128, or of a part of it that is "
                "a multiple of 8"));
  EXPECT_THAT(refusal({.page = 4}, {}), HasSubstr("AttentionRefusesTest.cpp:"));
  EXPECT_THAT(refusal({}, {.splits = true, .dynamic = true}),
              HasSubstr("leave out dynamic, or splits"));
  EXPECT_THAT(refusal({.group = 256}, {.cluster = 2, .dynamic = true}),
              HasSubstr("leave out dynamic, or splits"));
  EXPECT_THAT(refusal({.dv = 320}, {}), HasSubstr("use a multiple of 128"));
  EXPECT_THAT(refusal({}, {.bm = 0}),
              HasSubstr("the number of rows (bm) is 0: use at least 1"));
  EXPECT_THAT(refusal({}, {.bm = 192}),
              HasSubstr("a tile of 192 rows does not divide into 64 for each "
                        "of 2 warpgroups: use a multiple of 128"));
  EXPECT_THAT(refusal({}, {.warpgroups = 0}),
              HasSubstr("the number of warpgroups is 0"));
  EXPECT_THAT(refusal({.packed = true}, {.bm = 192, .bn = 64, .warpgroups = 3}),
              HasSubstr("does not divide among 384 threads: use a multiple of "
                        "3 keys"));
  EXPECT_THAT(refusal({.d = 256, .dv = 256},
                      {.bm = 64, .bn = 16, .warpgroups = 1, .ctas = 2}),
              HasSubstr("256 columns of V takes 158 registers of a thread, "
                        "which starts with 128: use fewer"));
  EXPECT_THAT(refusal({.d = 64, .dv = 208},
                      {.bm = 64, .bn = 16, .warpgroups = 1, .ctas = 2}),
              HasSubstr("224 columns of V takes 142 registers"));
  EXPECT_THAT(
      refusal({.d = 32, .dv = 32},
              {.bm = 64, .bn = 224, .stages = 3, .warpgroups = 1, .ctas = 2}),
      HasSubstr("the scores of 224 keys take 142 registers of a "
                "thread, which starts with 128: use blocks of at most "
                "192 keys"));
  EXPECT_THAT(refusal({.d = 44, .dv = 40}, {}),
              HasSubstr("heads of 44 and 40 of bf16 are no multiples of 16 "
                        "bytes: use a multiple of 8"));
  EXPECT_THAT(refusal({.d = 72, .dv = 64, .latent = true}, {}),
              HasSubstr("use a multiple of 8, of 16 for Q and K"));
  EXPECT_THAT(refusal({.type = e4m3}, {.bn = 48}),
              HasSubstr("48 keys is no depth of a product of e4m3: use a "
                        "multiple of 32"));
  EXPECT_THAT(refusal({.type = e4m3, .d = 40, .dv = 48}, {}),
              HasSubstr("use a multiple of 16"));
  EXPECT_THAT(refusal({.type = e4m3, .page = 64}, {}),
              HasSubstr("does not hold whole blocks of 128: use a multiple"));
  EXPECT_THAT(refusal({.type = e5m2}, {}), HasSubstr("use bf16, f16 or e4m3"));
  EXPECT_THAT(
      refusal({.group = 6}, {.bm = 64}),
      HasSubstr("a tile of 64 rows does not hold whole groups of 6, nor such a "
                "group whole tiles: use a power of 2"));
  EXPECT_THAT(refusal({.type = e4m3, .latent = true}, {}),
              HasSubstr("V can't be columns of K of e4m3"));
  EXPECT_THAT(refusal({.d = 64, .latent = true}, {}),
              HasSubstr("V has 128 columns, of K's 64: use at most as many"));
  const AttentionConfig apart{.bm = 64, .bn = 32, .apart = true};
  EXPECT_THAT(refusal({.type = e4m3}, apart), HasSubstr("use bf16 or f16"));
  EXPECT_THAT(refusal({.dv = 192}, apart),
              HasSubstr("no halves that begin with a swizzle atom: use a "
                        "multiple of 128"));
  EXPECT_THAT(
      refusal({.group = 128}, {.bm = 64, .warpgroups = 1, .cluster = 4}),
      HasSubstr("2 tiles, which do not divide into clusters of 4"));
  EXPECT_THAT(refusal({.group = 128, .page = 8},
                      {.bm = 64, .warpgroups = 1, .cluster = 2}),
              HasSubstr("2 slices of whole swizzle atoms: use a multiple of "
                        "16"));
  EXPECT_THAT(refusal({}, {.bm = 64, .warpgroups = 1, .apart = true}),
              HasSubstr("one half of 1 warpgroups is to keep half of O's "
                        "columns: use 2"));
  EXPECT_THAT(refusal({.d = 256, .dv = 256}, {}),
              HasSubstr("5 stages of 65536 bytes and 1 tiles of Q are more "
                        "than the 232448 bytes of shared memory: use blocks "
                        "of 96 keys and 3 stages"));
  EXPECT_THAT(refusal({}, {.stages = 9}), HasSubstr("use 6 stages"));
  EXPECT_THAT(refusal({.before = std::numeric_limits<int32_t>::max()}, {}),
              HasSubstr("(before) is more than"));
  EXPECT_THAT(refusal({}, {.ctas = int64_t(1) << 62}),
              HasSubstr("use at most 1048576"));
  EXPECT_THAT(refusal({}, {.stages = 2}), HasSubstr("use at least 3"));
  EXPECT_THAT(refusal({.d = 192, .dv = 96, .latent = true}, {}),
              HasSubstr("ends inside a swizzle atom: use a multiple of 64"));
  AttentionForm modified;
  modified.modify = [](const Fragment &, const ScorePlace &place) {
    return convert(place.key, f32);
  };
  EXPECT_THAT(refusal(modified, {.bn = 64}),
              HasSubstr("modify gives a fragment of 1x64 for scores of 128x64: "
                        "give one of as many"));
}

/// Roles of few registers check, too, though they can't print.
TEST(AttentionChecks, AreCompiledInto) {
  CompileOptions options;
  options.check_expectations = options.check_indices = true;
  EXPECT_NO_THROW(compile(attention({.packed = true}, {}), options));
  EXPECT_NO_THROW(
      compile(attention({.packed = true, .page = 128}, {}), options));
  EXPECT_NO_THROW(compile(
      attention_backward({.after = 0}, {.deterministic = true}), options));
  EXPECT_NO_THROW(compile(attention({.after = 0}, {.dynamic = true}), options));
}

TEST(AttentionRefuses, SizesThatDoNotAgree) {
  Module module(device(),
                compileCleanly(attention(
                    {.d = 64, .dv = 64, .packed = true},
                    {.bm = 64, .bn = 64, .warpgroups = 1, .splits = true})));
  const std::vector<NamedSize> right = {
      {"B", 2},   {"H", 4},      {"Hk", 2},    {"Sq", 70},    {"Tq", 70},
      {"Tk", 90}, {"Starts", 3}, {"Rows", 64}, {"Splits", 2}, {"Tiles", 16}};
  auto refusal = [&](const char *name, int64_t value) {
    std::vector<NamedSize> sizes = right;
    std::ranges::find(sizes, name, &NamedSize::name)->value = value;
    try {
      launchForAll(module, randomProblem(module.artifact(), sizes, {},
                                         {"Done", "Parts", "PartL"},
                                         {{"QStarts", startsOfNothing},
                                          {"KStarts", startsOfNothing}}));
    } catch (const Error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  using testing::HasSubstr;
  EXPECT_EQ(refusal("H", 4), "");
  EXPECT_THAT(refusal("H", 3), HasSubstr("H, the heads of Q, is a multiple of "
                                         "Hk, those of K; with B=2"));
  EXPECT_THAT(refusal("H", 3), HasSubstr("AttentionRefusesTest.cpp:"));
  EXPECT_THAT(refusal("Starts", 2), HasSubstr("is one more than B"));
  EXPECT_THAT(refusal("Splits", 0), HasSubstr("Splits, the parts of the keys"));
  EXPECT_THAT(refusal("Tiles", 15), HasSubstr("Tiles, of the workspaces"));
  EXPECT_THAT(refusal("Rows", 63), HasSubstr("Rows, of the workspaces"));
}

/// With one that is not, the largest scores would be the least.
TEST(AttentionRefuses, AScaleThatIsNotPositive) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto launchBy = [](double scale) {
    launchAndExit(attention({.d = 64, .dv = 64}, {}),
                  {{"B", 1}, {"H", 1}, {"Hk", 1}, {"Sq", 5}, {"Sk", 90}}, {},
                  {}, {{"scale", scale}});
  };
  EXPECT_EXIT(launchBy(0.1), testing::ExitedWithCode(0), "");
  for (double scale : {0.0, -0.1, std::nan("")})
    EXPECT_EXIT(launchBy(scale), testing::ExitedWithCode(3),
                "scale, of the scores, is positive");
}

/// What lies in tensors is looked for in kernels that check.
TEST(AttentionRefuses, SequencesThatAreNotInTheirTensors) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto launchOn = [](int64_t keys, int64_t first = 0) {
    launchAndExit(attention({.d = 64, .dv = 64, .packed = true}, {}),
                  {{"B", 1},
                   {"H", 1},
                   {"Hk", 1},
                   {"Sq", 5},
                   {"Tq", 5},
                   {"Tk", 90},
                   {"Starts", 2}},
                  {{"QStarts",
                    [](const Problem &, Coordinate at) { return 5.0 * at[0]; }},
                   {"KStarts", [=](const Problem &, Coordinate at) {
                      return double(at[0] ? keys : first);
                    }}});
  };
  EXPECT_EXIT(launchOn(90), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(launchOn(91), testing::ExitedWithCode(3),
              "the keys of a sequence, by KStarts, lie in K");
  EXPECT_EXIT(launchOn(90, -1), testing::ExitedWithCode(3),
              "the keys of a sequence, by KStarts, lie in K");
  EXPECT_EXIT(launchOn(40, 50), testing::ExitedWithCode(3),
              "the keys of a sequence, by KStarts, lie in K");
}

/// Behind the pages of a sequence's keys a table may hold anything, also where
/// all indices are looked at, and before a window.
TEST(AttentionRefuses, PagesThatThereAreNot) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto launchOn = [](int64_t page, int64_t others, bool hasWindow = false) {
    AttentionForm form{.d = 64, .dv = 64, .page = 16};
    if (hasWindow)
      form.before = 4; // the first query sees keys from 81 on
    launchAndExit(
        attention(form, {.bn = 64}),
        {{"B", 1}, {"H", 1}, {"Hk", 1}, {"Sq", 5}, {"P", 8}, {"Pages", 8}},
        {{"Lengths", [](const Problem &, Coordinate) { return 90.; }},
         {"Table",
          [=](const Problem &, Coordinate at) {
            const bool isOther = at[1] > 5 || (hasWindow && at[1] < 5);
            return double(at[1] == 5 ? page : isOther ? others : at[1]);
          }}},
        {.check_indices = !hasWindow});
  };
  for (int64_t others : {-1, 1000}) {
    EXPECT_EXIT(launchOn(7, others), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(launchOn(7, others, true), testing::ExitedWithCode(0), "");
  }
  for (int64_t page : {-1, 8})
    EXPECT_EXIT(launchOn(page, 0), testing::ExitedWithCode(3),
                "Table, for the keys that are seen, has numbers of pages of K");
}

TEST(AttentionRefuses, CountersThatAreNotZeros) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // Of many sequences not all parts run at once, and are counted.
  auto launchOn = [](int64_t sequences, double done, double parts = 0) {
    auto all = [](double value) {
      return [=](const Problem &, Coordinate) { return value; };
    };
    launchAndExit(
        attention({.d = 64, .dv = 64}, {.splits = true}),
        {{"B", sequences},
         {"H", 1},
         {"Hk", 1},
         {"Sq", 5},
         {"Sk", 300},
         {"Splits", 2},
         {"Tiles", sequences},
         {"Rows", 64}},
        {{"Done", all(done)}, {"Parts", all(parts)}, {"PartL", all(0)}});
  };
  for (int64_t sequences : {1, 200})
    EXPECT_EXIT(launchOn(sequences, 0), testing::ExitedWithCode(0), "");
  for (double done : {-1, 2})
    EXPECT_EXIT(launchOn(200, done), testing::ExitedWithCode(3),
                "Done, which counts parts, is zeros before the launch");
  EXPECT_EXIT(launchOn(1, 0, 1), testing::ExitedWithCode(3),
              "Parts is zeros before the launch");
}

} // namespace
} // namespace ashlar::test
