#include "tool/Execute.h"

#include "test/unit/runtime/FakeDriver.h"
#include "tool/MakeProblem.h"

#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ashlar;
using namespace ashlar::harness;
using testing::HasSubstr;

namespace {

/// What the device does at a launch: a kernel Y = 2 X on M x N floats.
struct Arguments {
  const float *x;
  float *y;
  int64_t stride;
  int m, n;
};
std::function<void(const Arguments &)> kernel;

void doubleAll(const Arguments &arguments) {
  for (int i = 0; i < arguments.m; ++i)
    for (int j = 0; j < arguments.n; ++j)
      arguments.y[i * arguments.stride + j] =
          2 * arguments.x[i * arguments.stride + j];
}

driver::Result launch(const driver::LaunchConfig *, driver::FunctionHandle,
                      void **parameters, void **) {
  Arguments arguments;
  std::memcpy(&arguments.x, parameters[0], 8);
  std::memcpy(&arguments.y, parameters[1], 8);
  std::memcpy(&arguments.stride, parameters[2], 8);
  std::memcpy(&arguments.m, parameters[3], 4);
  std::memcpy(&arguments.n, parameters[4], 4);
  kernel(arguments);
  return driver::Result::success;
}

/// Makes the device's memory the host's.
void useHostMemory(DriverTable &table) {
  using driver::DevicePointer, driver::Result;
  table.memoryAllocate = [](DevicePointer *address, size_t size) {
    *address = reinterpret_cast<DevicePointer>(
        std::aligned_alloc(256, (size + 255) / 256 * 256));
    return Result::success;
  };
  table.memoryFree = [](DevicePointer address) {
    std::free(reinterpret_cast<void *>(address));
    return Result::success;
  };
  table.copyHostToDevice = [](DevicePointer to, const void *from, size_t size) {
    std::memcpy(reinterpret_cast<void *>(to), from, size);
    return Result::success;
  };
  table.copyDeviceToHost = [](void *to, DevicePointer from, size_t size) {
    std::memcpy(to, reinterpret_cast<void *>(from), size);
    return Result::success;
  };
}

Artifact doubleArtifact() {
  Artifact artifact;
  artifact.name = "twice";
  artifact.target = "sm_90a";
  artifact.ptx = "ptx";
  artifact.sizes = {"M", "N"};
  artifact.tensors = {
      {.name = "X", .type = f32, .extents = {{0}, {1}}, .read = true},
      {.name = "Y", .type = f32, .extents = {{0}, {1}}, .written = true}};
  artifact.parameters = {{.kind = Parameter::Kind::pointer, .index = 0},
                         {.kind = Parameter::Kind::pointer, .index = 1},
                         {.kind = Parameter::Kind::stride, .index = 1},
                         {.kind = Parameter::Kind::size, .index = 0},
                         {.kind = Parameter::Kind::size, .index = 1}};
  artifact.grid.spaces = {{{{0}, {1}}, {64, 64}}};
  artifact.threads = 128;
  return artifact;
}

/// Runs `body` as the kernel on 5 x 7 elements, in rows of 8.
bool run(std::function<void(const Arguments &)> body) {
  kernel = std::move(body);
  test::FakeDriver fake;
  fake.recording = false;
  fake.table.launchKernelEx = launch;
  useHostMemory(fake.table);
  Device device = Device::open(fake.table);
  const Artifact artifact = doubleArtifact();
  const std::vector<NamedSize> sizes = {{"M", 5}, {"N", 7}};
  Problem problem = nameProblem(artifact, sizes, {});
  addTensors(artifact, problem);
  Expectation expected;
  expected.references["Y"] = [](const Problem &problem,
                                std::span<const int64_t> at) {
    return 2 * problem["X"](at);
  };
  return runAndCheck(device, artifact, problem, expected,
                     std::chrono::milliseconds(1000));
}

std::string refusal(std::function<void(const Arguments &)> body) {
  try {
    run(std::move(body));
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST(Execute, AcceptsARightKernel) { EXPECT_TRUE(run(doubleAll)); }

TEST(Execute, RefusesAKernelThatLeavesAnElementOut) {
  EXPECT_FALSE(run([](const Arguments &arguments) {
    const float before = arguments.y[8];
    doubleAll(arguments);
    arguments.y[8] = before;
  }));
}

TEST(Execute, RefusesAKernelThatComputesSomethingElse) {
  EXPECT_FALSE(run([](const Arguments &arguments) {
    doubleAll(arguments);
    arguments.y[8 * 4 + 6] = 100;
  }));
}

TEST(Execute, FindsAWriteToThePaddingOfARow) {
  EXPECT_THAT(refusal([](const Arguments &arguments) {
                doubleAll(arguments);
                arguments.y[7] = 0;
              }),
              HasSubstr("wrote outside of tensor 'Y'"));
}

TEST(Execute, FindsAWriteBeforeAndBehindATensor) {
  for (int element : {-1, 4 * 8 + 7})
    EXPECT_THAT(refusal([element](const Arguments &arguments) {
                  doubleAll(arguments);
                  arguments.y[element] = 0;
                }),
                HasSubstr("wrote outside of tensor 'Y'"));
}
