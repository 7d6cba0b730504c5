// Tiles that CTAs take as they get free: each one once, whatever groups of
// heads go together, and the counter is as it was.

#include "kernels/DynamicTiles.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"
#include "tool/DeviceProblem.h"

#include "ashlar/stream.h"

#include <chrono>

namespace ashlar::test {
namespace {

constexpr int64_t mebibyte = int64_t(1) << 20;

struct Case {
  int64_t batch, heads, tiles, bytesOfHead;
  bool isBackwards = false, isRagged = false;

  /// Of a batch.
  int64_t tilesOf(int64_t b) const {
    return isRagged ? tiles * ((b * 7 + 3) % 5) / 4 : tiles;
  }
};

Kernel countTiles(const Case &tested) {
  return kernel("count_tiles", [tested] {
    programmatic_launch();
    Size B = size("B"), H = size("H"), T = size("T");
    Tensor lengths = input("Lengths", s32, {B}, align(4));
    Tensor count = inout("Count", s32, {B, H, T}, align(4));
    TileLoop tiles = persistent({B, H, T}, {1, 1, 1});
    DynamicTiles dynamic(tiles, SourceLocation::current());
    role("hand out", warps(1), [&] {
      DynamicTiles::Space space{B, H, T, tested.bytesOfHead,
                                tested.isBackwards};
      if (tested.isRagged)
        space.isThere = [&](const Index &b, const Index &i) {
          return i < load_index(lengths.at({b}));
        };
      dynamic.handOut(space, [](const Index &, const Index &, const Index &,
                                const TakeNext &takeNext) { takeNext(); });
    });
    role("count", warps(1), [&] {
      dynamic.forEach([&](const Index &b, const Index &h, const Index &i) {
        atomic_add(count.at({b, h, i}), 1);
      });
    });
  });
}

void takesEachOnce(const Case &tested) {
  constexpr int launches = 3;
  Module module(device(), compileCleanly(countTiles(tested)));
  const Problem problem = randomProblem(
      module.artifact(),
      {{"B", tested.batch}, {"H", tested.heads}, {"T", tested.tiles}}, {},
      {"Count", "Next"}, {{"Lengths", [&](const Problem &, Coordinate at) {
                             return double(tested.tilesOf(at[0]));
                           }}});
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  Stream stream(device());
  for (int i = 0; i < launches; ++i)
    module.launch(onDevice.arguments(), stream);
  ASSERT_TRUE(stream.wait_for(std::chrono::seconds(10)));
  for (const HostTensor &result : onDevice.results()) {
    const bool isNext = result.name() == "Next";
    for (int64_t i = 0; i < result.elements(); ++i) {
      const int64_t b = i / (tested.heads * tested.tiles);
      const bool isThere = !isNext && i % tested.tiles < tested.tilesOf(b);
      ASSERT_EQ(result.read(i), isThere ? launches : 0)
          << result.name() << " at " << i;
    }
  }
}

TEST(DynamicTilesExpect, ACounterWithinTheTiles) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      launchAndExit(
          countTiles({2, 3, 40, 1}), {{"B", 2}, {"H", 3}, {"T", 40}},
          {{"Next", [](const Problem &, Coordinate) { return 500.0; }}}),
      testing::ExitedWithCode(3),
      "Next, which counts tiles, is zero before the launch");
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  auto add = [](const char *name, const Case &tested) {
    registerTest("DynamicTiles", name, [tested] { takesEachOnce(tested); });
  };
  add("fewer than CTAs", {2, 3, 4, mebibyte});
  add("one", {1, 1, 1, mebibyte});
  add("none of a head", {2, 3, 0, mebibyte});
  add("all heads together", {3, 5, 40, 1});
  add("heads one by one, backwards", {2, 7, 30, 40 * mebibyte, true});
  add("heads by threes, the first ones fewer", {2, 7, 30, 5 * mebibyte});
  add("heads by fives, backwards", {4, 4, 23, 3 * mebibyte, true});
  add("ragged", {40, 3, 9, 2 * mebibyte, false, true});
  add("ragged, backwards", {40, 3, 9, 7 * mebibyte, true, true});
  add("ragged, the first of a CTA not there", {5, 40, 4, 1, true, true});
});

} // namespace
} // namespace ashlar::test
