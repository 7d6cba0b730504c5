// A launch that may start while the one before it drains sees its results.

#include "test/kernels/Check.h"
#include "test/kernels/Register.h"
#include "tool/DeviceProblem.h"

#include "ashlar/ashlar.h"
#include "ashlar/stream.h"

namespace ashlar::test {
namespace {

/// D = 2 D + 1, by way of a pipeline that is set up before the wait. `early`:
/// the next launch may start meanwhile.
Kernel doubling(bool early) {
  return kernel("doubling", [early] {
    Size N = size("N");
    Tensor D = inout("D", f32, {N});
    programmatic_launch();
    TileLoop tiles = persistent({N}, {256});
    Pipeline ring = pipeline(2, smem(f32, {256}));
    role("load", warps(1), [&] {
      if (early)
        allow_next_launch();
      for (auto [n] : tiles) {
        Stage s = ring.acquire();
        copy(D.tile({n}), s[0]);
        ring.commit(s);
      }
    });
    role("compute", warps(4), [&] {
      for (auto [n] : tiles) {
        Stage s = ring.wait();
        Fragment x = load(s[0]);
        ring.release(s);
        store(D.tile({n}), x * 2.0f + 1.0f);
      }
    });
  });
}

/// D = D W + 1, where W, which no launch writes, is prefetched before the wait.
Kernel scaling() {
  return kernel("scaling", [] {
    Size N = size("N");
    Tensor W = input("W", f32, {N});
    Tensor D = inout("D", f32, {N});
    programmatic_launch();
    TileLoop tiles = persistent({N}, {256});
    Pipeline ring = pipeline(2, smem(f32, {256}), smem(f32, {256}));
    role("load", warps(1), [&] {
      for (auto [n] : tiles)
        prefetch(W.tile({n}), {256});
      wait_for_previous_launch();
      for (auto [n] : tiles) {
        Stage s = ring.acquire();
        copy(D.tile({n}), s[0]);
        copy(W.tile({n}), s[1]);
        ring.commit(s);
      }
    });
    role("compute", warps(4), [&] {
      for (auto [n] : tiles) {
        Stage s = ring.wait();
        Fragment x = load(s[0]), w = load(s[1]);
        ring.release(s);
        store(D.tile({n}), x * w + 1.0f);
      }
    });
  });
}

/// Launches twice, without a pause, and compares D.
void launchesInARow(
    const Kernel &kernel,
    const std::function<double(const Problem &, Coordinate)> &reference) {
  Module module(device(), compileCleanly(kernel));
  Problem problem = randomProblem(module.artifact(), {{"N", 50'000}});
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  Stream stream(device());
  module.launch(onDevice.arguments(), stream);
  module.launch(onDevice.arguments(), stream);
  ASSERT_TRUE(stream.wait_for(std::chrono::seconds(10)));
  EXPECT_LE(
      relativeError(onDevice.results().front(),
                    [&](Coordinate at) { return reference(problem, at); }),
      1e-6);
}

[[maybe_unused]] const bool registered = [] {
  for (bool early : {false, true})
    registerTest("ProgrammaticLaunch",
                 early ? "two launches, the second allowed early"
                       : "two launches in a row",
                 [early] {
                   launchesInARow(doubling(early),
                                  [](const Problem &p, Coordinate at) {
                                    return 4 * p["D"](at) + 3;
                                  });
                 });
  registerTest("ProgrammaticLaunch", "a role that prefetches, then waits", [] {
    launchesInARow(scaling(), [](const Problem &p, Coordinate at) {
      const double w = p["W"](at);
      return (p["D"](at) * w + 1) * w + 1;
    });
  });
  return true;
}();

} // namespace
} // namespace ashlar::test
