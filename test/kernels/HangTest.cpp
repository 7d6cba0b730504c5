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

/// The simulator knows at once, and says who waits for what.
void simulateAndReport() {
  // Else the device would be dead for the tests that follow.
  sim::settings().quiet = sim::settings().keepGoing = true;
  Module module(device(), compileCleanly(hang()));
  Problem problem = randomProblem(module.artifact(), {{"N", 4}});
  harness::DeviceProblem onDevice(device(), module.artifact(), problem);
  module.launch_and_wait(onDevice.arguments(), std::chrono::seconds(10));
  sim::settings().quiet = sim::settings().keepGoing = false;
  const std::vector<sim::Report> reports = sim::takeReports();
  ASSERT_EQ(reports.size(), 1u);
  const std::string what = reports.front().text();
  EXPECT_THAT(what, testing::HasSubstr("deadlock"));
  EXPECT_THAT(what, testing::HasSubstr("role 'compute'"));
  EXPECT_THAT(what, testing::HasSubstr("full barrier of stage 0"));
}

[[maybe_unused]] const bool registered = registerAtStart([] {
  if (isSimulated())
    registerTest("HangIsFound", "in the simulator", simulateAndReport);
  else
    registerTest("HangRuns", "a kernel that waits for ever is reported", [] {
      GTEST_FLAG_SET(death_test_style, "threadsafe");
      EXPECT_EXIT(launchAndReport(), testing::ExitedWithCode(3),
                  "hang.*500 ms");
    });
});

} // namespace
} // namespace ashlar::test
