// A kernel program as a whole, in the simulator.

#include "ashlar/tool.h"
#include "ashlar/ashlar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

using namespace ashlar;

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

/// The exit status, with a reference of one tensor.
int runWithReference(const std::string &tensor) {
  std::array<std::string, 4> words = {"twice", "--run", "--device=sim",
                                      "--no-cache"};
  std::array<char *, 4> argv = {};
  for (size_t i = 0; i < words.size(); ++i)
    argv[i] = words[i].data();
  auto expected = [](const Problem &p, std::span<const int64_t> at) {
    return 2 * p["X"](at[0]);
  };
  return tool(int(argv.size()), argv.data(), twice(),
              {.sizes = {{"N", 300}}, .references = {{tensor, expected}}});
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
