// What the library's attention says of a launch: of its sizes always, of what
// lies in tensors in kernels that check.

#include "test/kernels/Check.h"

#include "ashlar/attention.h"
#include "ashlar/error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace ashlar::test {
namespace {

double startsOfNothing(const Problem &, Coordinate) { return 0; }

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
      launchForAll(module, randomProblem(module.artifact(), sizes, {}, {"Done"},
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
  auto launchOn = [](double done) {
    launchAndExit(
        attention({.d = 64, .dv = 64}, {.splits = true}),
        {{"B", 1},
         {"H", 1},
         {"Hk", 1},
         {"Sq", 5},
         {"Sk", 300},
         {"Splits", 2},
         {"Tiles", 1},
         {"Rows", 64}},
        {{"Done", [=](const Problem &, Coordinate) { return done; }}});
  };
  EXPECT_EXIT(launchOn(0), testing::ExitedWithCode(0), "");
  for (double done : {-1, 2})
    EXPECT_EXIT(launchOn(done), testing::ExitedWithCode(3),
                "Done, which counts parts, is zeros before the launch");
}

} // namespace
} // namespace ashlar::test
