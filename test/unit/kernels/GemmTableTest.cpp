#include "ashlar/gemm_table.h"

#include "ashlar/error.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <unistd.h>

namespace ashlar {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Of this process alone: tests run beside each other.
std::filesystem::path temporary(const std::string &name) {
  return std::filesystem::path(testing::TempDir()) /
         (std::to_string(getpid()) + name);
}

std::filesystem::path fileWith(const std::string &text) {
  const std::filesystem::path path = temporary("gemm-table-given");
  std::ofstream(path) << text;
  return path;
}

const GemmTypes half{};
const GemmTypes fast{e4m3, e4m3, bf16, Accumulation::fast};
const GemmTypes full{e4m3, e4m3, bf16, Accumulation::full};

TEST(GemmTable, ReadsWhatItWrote) {
  const std::filesystem::path path = temporary("gemm-table");
  GemmTable table;
  const GemmConfig large = GemmConfig::parse("128x256x64 s4 w2 c2x1");
  const GemmConfig small = GemmConfig::parse("64x8x128 s12 w1 k2 e8x1 swapped");
  table.set({half, {4096, 4096, 4096}, large, 190.5, 201.25});
  table.set({fast, {1, 8192, 8192}, small, 17, 18});
  table.set({full, {1, 8192, 8192}, large, 19, 20});
  table.save(path);
  const GemmTable read = GemmTable::load(path);
  ASSERT_EQ(read.entries().size(), 3);
  const std::optional<TunedGemm> entry = read.find({4096, 4096, 4096}, half);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->config, large);
  EXPECT_EQ(entry->hot_microseconds, 190.5);
  EXPECT_EQ(entry->cold_microseconds, 201.25);
  EXPECT_EQ(read.find({1, 8192, 8192}, fast)->config, small);
  EXPECT_EQ(read.find({1, 8192, 8192}, full)->config, large);
}

TEST(GemmTable, FindsOnlyTheSameProblem) {
  GemmTable table;
  table.set({half, {128, 256, 512}, {}, 1, 2});
  EXPECT_TRUE(table.find({128, 256, 512}, half));
  EXPECT_FALSE(table.find({128, 256, 520}, half));
  EXPECT_FALSE(table.find({128, 256, 512}, fast));
}

TEST(GemmTable, SumsOf16BitProductsAreAlwaysFull) {
  GemmTable table;
  table.set({{bf16, bf16, bf16, Accumulation::fast}, {8, 8, 8}, {}, 1, 2});
  EXPECT_TRUE(table.find({8, 8, 8}, {bf16, bf16, bf16, Accumulation::full}));
}

TEST(GemmTable, AnEntryReplacesThatOfTheSameProblem) {
  GemmTable table;
  table.set({half, {8, 8, 8}, {}, 3, 4});
  table.set({half, {8, 8, 8}, {}, 1, 2});
  ASSERT_EQ(table.entries().size(), 1);
  EXPECT_EQ(table.entries()[0].hot_microseconds, 1);
}

TEST(GemmTable, HoldsNoBatches) {
  GemmTable table;
  EXPECT_THAT([&] { table.set({half, {8, 8, 8, 2}, {}, 1, 2}); },
              ThrowsMessage<Error>(HasSubstr("leave batch at 1")));
  table.set({half, {8, 8, 8}, {}, 1, 2});
  EXPECT_FALSE(table.find({8, 8, 8, 2}, half));
}

TEST(GemmTable, HoldsNoExtentsAndTimesThatThereCannotBe) {
  GemmTable table;
  EXPECT_THAT([&] { table.set({half, {8, -1, 8}, {}, 1, 2}); },
              ThrowsMessage<Error>(HasSubstr("extents of 0 or more, not -1")));
  for (double time : {-1., std::nan(""), HUGE_VAL})
    EXPECT_THAT([&] { table.set({half, {8, 8, 8}, {}, 1, time}); },
                ThrowsMessage<Error>(HasSubstr("0 or more microseconds")));
  EXPECT_TRUE(table.entries().empty());
}

TEST(GemmTable, TellsLayoutsApartAndHasNoStrides) {
  GemmTypes other = half;
  other.layout.b_n_major = true;
  GemmTable table;
  table.set({half, {8, 8, 8}, GemmConfig::parse("64x64x64"), 1, 2});
  EXPECT_FALSE(table.find({8, 8, 8}, other));
  table.set({other, {8, 8, 8}, GemmConfig::parse("64x32x64"), 1, 2});
  const auto path = std::filesystem::temp_directory_path() /
                    ("gemm-layouts-" + std::to_string(getpid()));
  table.save(path);
  const GemmTable read = GemmTable::load(path);
  std::filesystem::remove(path);
  EXPECT_EQ(read.find({8, 8, 8}, half)->config.bn, 64);
  EXPECT_EQ(read.find({8, 8, 8}, other)->config.bn, 32);
  const GemmSizes apart{8, 8, 8, 1, /*lda=*/16};
  EXPECT_FALSE(table.find(apart, half));
  EXPECT_THAT([&] { table.set({half, apart, {}, 1, 2}); },
              ThrowsMessage<Error>(HasSubstr("leave lda, ldb and ldd at 0")));
}

TEST(GemmTable, SkipsCommentsAndEmptyLines) {
  const GemmTable table = GemmTable::load(
      fileWith("# of an H200\n\n"
               "bf16 bf16 bf16 full TN 16 32 64 1.5 2.5 128x256x64 s4 w2\n"));
  EXPECT_EQ(table.entries().size(), 1);
}

TEST(GemmTable, NamesTheLineThatItCannotRead) {
  for (auto [text, message] :
       {std::pair{"bf16 bf17 bf16 full TN 1 2 3 4 5 64x64x64\n",
                  "gemm-table-given:1: error: 'bf17' is no type"},
        std::pair{"\nbf16 bf16 bf16 half TN 1 2 3 4 5 64x64x64\n",
                  "gemm-table-given:2: error: sums are 'fast' or 'full'"},
        std::pair{"bf16 bf16 bf16 full TN 1 2 3 4\n", "expected three types"},
        std::pair{"bf16 bf16 bf16 full NM 1 2 3 4 5 64x64x64\n",
                  "gemm-table-given:1: error: 'NM' is no layout"},
        std::pair{"bf16 bf16 bf16 full TN 1 2 3 4 5 64y64\n",
                  "gemm-table-given:1: error: '64y64' in '64y64' is no part of "
                  "a GEMM configuration"}})
    EXPECT_THAT([text = text] { GemmTable::load(fileWith(text)); },
                ThrowsMessage<Error>(HasSubstr(message)));
}

TEST(GemmTable, SaysWhichFileItCannotReadOrWrite) {
  EXPECT_THAT([] { GemmTable::load("/nowhere/table"); },
              ThrowsMessage<Error>(HasSubstr("cannot read /nowhere/table")));
  EXPECT_THAT([] { GemmTable::load("/"); },
              ThrowsMessage<Error>(HasSubstr("cannot read /")));
  EXPECT_THAT([] { GemmTable().save("/nowhere/table"); },
              ThrowsMessage<Error>(HasSubstr("cannot write /nowhere/table")));
}

} // namespace
} // namespace ashlar
