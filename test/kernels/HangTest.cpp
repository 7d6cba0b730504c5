// A kernel that waits for ever ends as a report and the end of its process.

#include "runtime/sim/driver/SimulatorDriver.h"
#include "test/kernels/Check.h"
#include "test/kernels/Register.h"
#include "tool/DeviceProblem.h"

#include "ashlar/ashlar.h"

#include <cstdio>
#include <cstdlib>
#include <gmock/gmock.h>

namespace ashlar::test {
namespace {

/// The consumer waits for one stage more than the producer fills.
Kernel hang() {
  return kernel("hang", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N});
    Tensor D = output("D", f32, {N});
    Pipeline ring = pipeline(2, smem(f32, {128}));
    role("load", warps(1), [&] {
      for (Index i : range(N)) {
        Stage s = ring.acquire();
        copy(X.tile({i}), s[0]);
        ring.commit(s);
      }
    });
    role("compute", warps(4), [&] {
      for (Index i : range(N + 1)) {
        Stage s = ring.wait();
        store(D.tile({i}), load(s[0]));
        ring.release(s);
      }
    });
  });
}

[[noreturn]] void launchAndReport() {
  Module module(device(), compileCleanly(hang()));
  Problem problem = randomProblem(module.artifact(), {{"N", 4}});
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  try {
    module.launch_and_wait(onDevice.arguments(),
                           std::chrono::milliseconds(500));
  } catch (const TimeoutError &error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(3);
  }
  std::_Exit(0);
}

/// The second CTA waits for two signals of the first, which gives one.
Kernel unanswered() {
  return kernel("unanswered", [] {
    Size N = size("N");
    Tensor D = output("D", f32, {N, 128});
    Tensor done = inout("Done", s32, {N}, align(4));
    TileLoop parts = persistent({N}, {1});
    role("add", warps(4), [&] {
      for (auto [i] : parts) {
        when(i > 0, [&] { await(done.at({i - 1}), 2); });
        store(D.at({i, 0}), zeros(f32, {128}));
        signal(done.at({i}));
      }
    });
  });
}

/// What the second CTA takes nobody posts.
Kernel neverPosted() {
  return kernel("never_posted", [] {
    Size N = size("N");
    Tensor D = output("D", f32, {N, 128});
    Tensor box = inout("Box", f32, {N, 128});
    TileLoop parts = persistent({N}, {1});
    role("add", warps(4), [&] {
      for (auto [i] : parts) {
        when(i == 0, [&] { post(box.at({i, 0}), full(f32, {128}, 1)); });
        store(D.at({i, 0}), take(box.at({i, 0}), {128}));
      }
    });
  });
}

/// Only the first tile of the two in a stage is copied in each round.
Kernel filledInPart() {
  return kernel("filled_in_part", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N});
    Tensor D = output("D", f32, {N});
    Pipeline ring = pipeline(2, smem(f32, {128}), smem(f32, {128}));
    role("load", warps(1), [&] {
      for (Index i : range(N)) {
        Stage s = ring.acquire();
        copy(X.tile({i}), s[0]);
        when(i < 2, [&] { copy(X.tile({i}), s[1]); });
        ring.commit(s);
      }
    });
    role("compute", warps(4), [&] {
      for (Index i : range(N)) {
        Stage s = ring.wait();
        store(D.tile({i}), load(s[0]) + load(s[1]));
        ring.release(s);
      }
    });
  });
}

/// One of two roles that wait for stages takes one less than the other: the
/// ring has room for what is left.
Kernel leftBehind() {
  return kernel("left_behind", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N});
    Tensor D = output("D", f32, {N}), E = output("E", f32, {N});
    Pipeline ring = pipeline(8, smem(f32, {128}));
    role("load", warps(1), [&] {
      for (Index i : range(ceil_div(N, 128))) {
        Stage s = ring.acquire();
        copy(X.tile({i}), s[0]);
        ring.commit(s);
      }
    });
    auto consumer = [&](const char *name, const Tensor &to, const Index &end) {
      role(name, warps(4), [&] {
        for (Index i : range(end)) {
          Stage s = ring.wait();
          store(to.tile({i}), load(s[0]));
          ring.release(s);
        }
      });
    };
    consumer("all", D, ceil_div(N, 128));
    consumer("whole", E, N / 128);
  });
}

/// Tiles that overlap are stored by two CTAs: by TMA alone, of which the kernel
/// has no pointer.
Kernel storedTwice() {
  return kernel("stored_twice", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N, 3, 128}), D = output("D", f32, {N, 3, 128});
    TileLoop parts = grid({N}, {1});
    Pipeline ring = pipeline(2, smem(f32, {2, 1, 128}));
    role("load", warps(1), [&] {
      for (auto [i] : parts) {
        Stage s = ring.acquire();
        copy(X.at({i, 2, 0}), s[0]);
        ring.commit(s);
      }
    });
    role("store", warps(1), [&] {
      for (auto [i] : parts) {
        Stage s = ring.wait();
        copy(s[0], D.at({i, 2, 0}));
        ring.release(s);
      }
    });
  });
}

/// The simulator knows at once, and says who waits for what.
void simulateAndReport(const Kernel &kernel,
                       const std::vector<std::string> &parts,
                       const std::vector<std::string> &zeros = {},
                       int64_t n = 4) {
  // Else the device would be dead for the tests that follow.
  sim::settings().quiet = sim::settings().keepGoing = true;
  Module module(device(), compileCleanly(kernel));
  Problem problem = randomProblem(module.artifact(), {{"N", n}}, {}, zeros);
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(10));
  sim::settings().quiet = sim::settings().keepGoing = false;
  const std::vector<sim::Report> reports = sim::takeReports();
  ASSERT_FALSE(reports.empty());
  for (const std::string &part : parts)
    EXPECT_THAT(reports.front().text(), testing::HasSubstr(part));
  // Which the compiler chooses.
  EXPECT_THAT(reports.front().text(),
              testing::Not(testing::HasSubstr("wrong parity")));
}

Kernel copied() {
  return kernel("copied", [] {
    Size N = size("N");
    Tensor X = input("X", f32, {N}), D = output("D", f32, {N});
    TileLoop tiles = grid({N}, {128});
    role("all", warps(4), [&] {
      for (auto [n] : tiles)
        store(D.tile({n}), load(X.tile({n}), {128}));
    });
  });
}

/// What X's memory is is said; of the host, or less than its shape takes.
void reportMemoryOfX(void *x, const std::string &part) {
  sim::settings().quiet = sim::settings().keepGoing = true;
  Module module(device(), compileCleanly(copied()));
  Buffer d(device(), 1000 * 4);
  module.launch_and_wait({{"X", TensorArgument{x, f32, {1000}}},
                          {"D", TensorArgument{d.data(), f32, {1000}}}},
                         std::chrono::seconds(10));
  sim::settings().quiet = sim::settings().keepGoing = false;
  const std::vector<sim::Report> reports = sim::takeReports();
  ASSERT_FALSE(reports.empty());
  EXPECT_THAT(reports.front().text(), testing::HasSubstr(part));
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  if (isSimulated()) {
    registerTest("HangIsFound", "in the simulator", [] {
      simulateAndReport(hang(), {"deadlock", "role 'compute'",
                                 "full barrier of stage 0",
                                 "arrives less often than is waited for"});
    });
    registerTest("RaceIsFound", "of tiles that overlap", [] {
      simulateAndReport(storedTwice(),
                        {", 2, 0] is written twice", "race: D["});
    });
    registerTest("HangIsFound", "of a counter", [] {
      simulateAndReport(
          unanswered(),
          {"deadlock", "Done[0] is 1 and has to be at least 2",
           "was the last to signal it here, where that happened 1 time"},
          {"Done"});
    });
    registerTest("HangIsFound", "of what nobody posts", [] {
      simulateAndReport(neverPosted(),
                        {"deadlock", "role 'add'", "repeats a loop until Box[1",
                         "HangTest.cpp"},
                        {"Box"});
    });
    registerTest("StaleStageIsFound", "that was filled in part", [] {
      simulateAndReport(filledInPart(), {"stale data: tile 1 of stage 0",
                                         "in which it was not written"});
    });
    registerTest("MemoryIsFound", "that is too small or the host's", [] {
      Buffer small(device(), 128 * 4);
      small.fill(std::byte(0));
      reportMemoryOfX(small.data(),
                      "whose memory is too small: it has 512 bytes");
      // Below what the simulator gives.
      reportMemoryOfX(reinterpret_cast<void *>(0x1000),
                      "It is X[0]: was the launch given memory of the host?");
    });
    registerTest("LeftStageIsFound", "that one role has not released", [] {
      simulateAndReport(leftBehind(),
                        {"unfinished at exit", "leaves stage 2 of the pipeline",
                         "only role 'all' released"},
                        {}, 300);
    });
  } else
    registerTest("HangRuns", "a kernel that waits for ever is reported", [] {
      GTEST_FLAG_SET(death_test_style, "threadsafe");
      EXPECT_EXIT(launchAndReport(), testing::ExitedWithCode(3),
                  "hang.*500 ms");
    });
});

} // namespace
} // namespace ashlar::test
