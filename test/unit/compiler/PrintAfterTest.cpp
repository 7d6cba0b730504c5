#include "ashlar/ashlar.h"
#include "ashlar/compile.h"

#include <gtest/gtest.h>

namespace ashlar {
namespace {

Kernel zeroed() {
  return kernel("zeroed", [] {
    Size N = size("N");
    Tensor D = output("D", f32, {N});
    TileLoop tiles = grid({N}, {128});
    role("store", warps(4), [&] {
      for (auto [n] : tiles)
        store(D.tile({n}), zeros(f32, {128}));
    });
  });
}

std::string printed(const std::vector<std::string> &passes) {
  CompileOptions options;
  options.assemble = false;
  options.print_after = passes;
  testing::internal::CaptureStderr();
  try {
    compile(zeroed(), options);
  } catch (...) {
    testing::internal::GetCapturedStderr();
    throw;
  }
  return testing::internal::GetCapturedStderr();
}

TEST(PrintAfter, PrintsOfEachLevel) {
  for (const char *pass : {"tile-plan-memory", "tile-to-hopper",
                           "hopper-join-once", "thread-to-llvm"})
    EXPECT_NE(printed({pass}).find(std::string("(") + pass + ")"),
              std::string::npos)
        << pass;
}

TEST(PrintAfter, RefusesWhatIsNoPass) {
  for (const char *pass : {"foo", "tile-plan", "tile.kernel", ""}) {
    try {
      printed({"tile-plan-memory", pass});
      ADD_FAILURE() << pass;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(std::string("no pass '") + pass),
                std::string::npos)
          << error.what();
    }
  }
}

} // namespace
} // namespace ashlar
