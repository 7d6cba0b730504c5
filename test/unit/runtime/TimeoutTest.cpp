#include "FakeDriver.h"
#include "Throws.h"

#include <chrono>
#include <climits>

namespace ashlar::test {
namespace {

using namespace std::chrono_literals;

struct Timeout : testing::Test {
  Timeout() { fake.eventQueriesUntilDone = INT_MAX; }

  FakeDriver fake;
};

TEST_F(Timeout, SaysWhatHung) {
  Device device = Device::open(fake.table);
  Module module(device, gemmArtifact());
  auto start = std::chrono::steady_clock::now();
  try {
    module.launch_and_wait(gemmArguments(), 30ms);
    FAIL() << "nothing was thrown";
  } catch (const TimeoutError &error) {
    expectError([&] { throw error; },
                {"TimeoutTest.cpp:", "error: kernel 'gemm'", "30 ms",
                 "(in the kernel: gemm.cpp:10",
                 "8 blocks of 384 threads in clusters of 2",
                 "'load' on warps 0 to 0, 40 registers",
                 "'math' on warps 4 to 11, 232 registers",
                 "4 stages of 28672 bytes (gemm.cpp:17)",
                 "the process must end, the context is unusable"});
  }
  auto waited = std::chrono::steady_clock::now() - start;
  EXPECT_GE(waited, 30ms);
  EXPECT_LT(waited, 5s);
}

TEST_F(Timeout, MakesEveryLaterUseAnError) {
  Device device = Device::open(fake.table);
  Module module(device, gemmArtifact());
  Buffer buffer(device, 64);
  Stream stream(device);
  Event event(device);
  std::byte bytes[64] = {};
  EXPECT_THROW(module.launch_and_wait(gemmArguments(), 1ms), TimeoutError);
  fake.calls.clear();

  auto expectUnusable = [](auto use) {
    expectError(use, {"kernel 'gemm'", "the context is unusable"});
  };
  expectUnusable([&] { module.launch(gemmArguments(), stream); });
  expectUnusable([&] { module.launch_and_wait(gemmArguments(), 1ms); });
  expectUnusable([&] { module.launch(gemmArguments(0, 384), stream); });
  expectUnusable([&] { buffer.copy_from_host(bytes); });
  expectUnusable([&] { buffer.copy_to_host(bytes); });
  expectUnusable([&] { buffer.fill(std::byte(0)); });
  expectUnusable([&] { buffer.fill(std::byte(0), stream); });
  expectUnusable([&] { stream.synchronize(); });
  expectUnusable([&] { stream.wait_for(1ms); });
  expectUnusable([&] { event.record(stream); });
  expectUnusable([&] { Buffer another(device, 64); });
  expectUnusable([&] { Stream another(device); });
  expectUnusable([&] { Module another(device, gemmArtifact()); });
  EXPECT_TRUE(fake.calls.empty()) << fake.calls.front();
}

TEST_F(Timeout, LeavesDestructorsNothingToDo) {
  {
    Device device = Device::open(fake.table);
    Module module(device, gemmArtifact());
    Buffer buffer(device, 64);
    Stream stream(device);
    Event event(device);
    EXPECT_THROW(module.launch_and_wait(gemmArguments(), 1ms), TimeoutError);
    fake.calls.clear();
  }
  EXPECT_TRUE(fake.calls.empty()) << fake.calls.front();
}

TEST_F(Timeout, DoesNotHappenWhenNothingIsLaunched) {
  Device device = Device::open(fake.table);
  Module module(device, gemmArtifact());
  module.launch_and_wait(gemmArguments(0), 1ms);
}

TEST_F(Timeout, MayBeAsLateAsTheClockGoes) {
  fake.eventQueriesUntilDone = 2;
  Device device = Device::open(fake.table);
  Module module(device, gemmArtifact());
  module.launch_and_wait(gemmArguments(), std::chrono::milliseconds::max());
}

TEST_F(Timeout, OfAStreamIsAnAnswer) {
  Device device = Device::open(fake.table);
  Stream stream(device);
  EXPECT_FALSE(stream.wait_for(2ms));
  fake.eventQueriesUntilDone = 2;
  EXPECT_TRUE(stream.wait_for(10s));
}

} // namespace
} // namespace ashlar::test
