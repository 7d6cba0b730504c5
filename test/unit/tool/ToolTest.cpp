// A kernel program as a whole, in the simulator.

#include "ashlar/tool.h"
#include "ashlar/ashlar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace ashlar;
using testing::AllOf;
using testing::HasSubstr;

namespace {

Kernel twice() {
  return kernel("twice", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N}), D = output("D", f32, {N});
    TileLoop tiles = persistent({N}, {128});
    role("all", warps(4), [&] {
      for (auto [n] : tiles)
        store(D.tile({n}), 2 * load(X.tile({n}), {128}));
    });
  });
}

/// Has what it stored of a CTA's first tile in its second one, too.
Kernel twiceAndBefore() {
  return kernel("twice_and_before", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N}), D = output("D", f32, {N});
    TileLoop tiles = persistent({N}, {128});
    role("all", warps(4), [&] {
      Fragment sum = zeros(f32, {128});
      for (auto [n] : tiles) {
        sum = sum + 2 * load(X.tile({n}), {128});
        store(D.tile({n}), sum);
      }
    });
  });
}

/// Takes coordinates of elements for those of tiles.
Kernel twiceByElements() {
  return kernel("twice_by_elements", [] {
    Size M = size("M");
    Tensor X = input("X", f32, {M, 32}), D = output("D", f32, {M, 32});
    TileLoop tiles = persistent({M}, {32});
    Pipeline ring = pipeline(2, smem(f32, {32, 32}));
    role("load", warps(1), [&] {
      for (auto [m] : tiles) {
        Stage s = ring.acquire();
        copy(X.tile({m * 32, 0}), s[0]);
        ring.commit(s);
      }
    });
    role("store", warps(4), [&] {
      for (auto [m] : tiles) {
        Stage s = ring.wait();
        store(D.tile({m, 0}), 2 * load(s[0]));
        ring.release(s);
      }
    });
  });
}

/// The exit status of a program with these words in its command line.
int simulate(const Kernel &program, const ToolOptions &options,
             std::vector<std::string> words = {}) {
  words.insert(words.begin(),
               {"program", "--run", "--device=sim", "--no-cache"});
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  return tool(int(argv.size()), argv.data(), program, options);
}

double twiceX(const Problem &p, std::span<const int64_t> at) {
  return 2 * p["X"](at);
}

/// The exit status, with a reference of one tensor.
int runWithReference(const std::string &tensor) {
  return simulate(twice(),
                  {.sizes = {{"N", 300}}, .references = {{tensor, twiceX}}});
}

} // namespace

TEST(Tool, RefusesAReferenceThatNothingIsComparedWith) {
  EXPECT_EQ(runWithReference("D"), 0);
  testing::internal::CaptureStderr();
  EXPECT_EQ(runWithReference("Dx"), 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("there is a reference for 'Dx', which kernel "
                                 "'twice' does not write; it writes D"));
}

TEST(Tool, SimulatesSoFewSmsThatACtaHasSeveralTiles) {
  const ToolOptions options = {.references = {{"D", twiceX}}};
  testing::internal::CaptureStdout();
  EXPECT_EQ(simulate(twiceAndBefore(), options), 1);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              AllOf(HasSubstr("D is wrong"), HasSubstr("(2 SMs, seed 0)")));
  EXPECT_EQ(simulate(twiceAndBefore(), options, {"--sms=132"}), 0);
}

TEST(Tool, NotesCopiesOutsideOfTheirTensorWhereAResultIsWrong) {
  const ToolOptions options = {.references = {{"D", twiceX}}};
  testing::internal::CaptureStdout();
  EXPECT_EQ(simulate(twiceByElements(), options), 1);
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              testing::ContainsRegex(
                  "ToolTest.cpp:[0-9]+: note: 2 of 3 boxes that TMA copies lie "
                  "wholly outside of their tensor"));
}
