#include "FakeDriver.h"
#include "Throws.h"

namespace ashlar::test {
namespace {

class Launch : public testing::Test {
protected:
  Launch() { fake.parameterBytes = {4, 4, 4, 128, 8, 8, 4, 128}; }

  void launch() {
    Device device = Device::open(fake.table);
    Module module(device, artifact);
    Stream stream = Stream::wrap(device, reinterpret_cast<void *>(0x777));
    module.launch(arguments, stream);
  }

  FakeDriver fake;
  Artifact artifact = gemmArtifact();
  std::vector<NamedArgument> arguments = gemmArguments();
};

TEST_F(Launch, PassesEveryKindOfParameterInOrder) {
  launch();
  ASSERT_EQ(fake.launches, 1);
  EXPECT_EQ(fake.parameter<int32_t>(0), 256);
  EXPECT_EQ(fake.parameter<int32_t>(1), 384);
  EXPECT_EQ(fake.parameter<int32_t>(2), 128);
  EXPECT_EQ(fake.parameter<uint64_t>(3), 0x10000000u); // the map of A
  EXPECT_EQ(fake.parameter<uint64_t>(4), 0x30000000u);
  EXPECT_EQ(fake.parameter<int64_t>(5), 384);
  EXPECT_EQ(fake.parameter<float>(6), 0.5f);
  EXPECT_EQ(fake.parameter<uint64_t>(7), 0x20000000u); // the map of B
}

TEST_F(Launch, PassesBlockSharedMemoryStreamAndCluster) {
  launch();
  EXPECT_EQ(fake.config.blockX, 384u);
  EXPECT_EQ(fake.config.blockY, 1u);
  EXPECT_EQ(fake.config.blockZ, 1u);
  EXPECT_EQ(fake.config.gridY, 1u);
  EXPECT_EQ(fake.config.gridZ, 1u);
  EXPECT_EQ(fake.config.sharedBytes, 200000u);
  EXPECT_EQ(fake.config.stream, reinterpret_cast<driver::StreamHandle>(0x777));
  EXPECT_EQ(fake.cluster, (std::array<unsigned, 3>{2, 1, 1}));
}

TEST_F(Launch, HasNoClusterAttributeWithoutClusters) {
  artifact.grid.cluster = {1, 1};
  launch();
  EXPECT_EQ(fake.config.attributeCount, 0u);
}

TEST_F(Launch, OfPersistentClustersHasThoseTheDriverCanRunAtOnce) {
  arguments = gemmArguments(8192, 8192, 128);
  const auto blocksWith = [&](int smCount, int activeClusters) {
    fake.smCount = smCount;
    fake.activeClusters = activeClusters;
    launch();
    return fake.config.gridX;
  };
  EXPECT_EQ(blocksWith(132, 66), 132u);
  EXPECT_EQ(blocksWith(132, 60), 120u); // GPCs of odd SMs
  EXPECT_EQ(blocksWith(131, 130), 130u);
  EXPECT_EQ(blocksWith(1, 66), 2u);
  EXPECT_EQ(blocksWith(132, 0), 2u);
}

TEST_F(Launch, OfAPersistentKernelHasAsManyBlocksToAnSmAsItSays) {
  arguments = gemmArguments(8192, 8192, 128);
  artifact.grid.cluster = {};
  launch();
  EXPECT_EQ(fake.config.gridX, 132u);
  artifact.grid.ctasPerSm = 3;
  launch();
  EXPECT_EQ(fake.config.gridX, 3u * 132);
  // Of clusters the driver knows how many fit.
  artifact.grid.cluster = {2, 1};
  fake.activeClusters = 190;
  launch();
  EXPECT_EQ(fake.config.gridX, 2u * 190);
}

TEST_F(Launch, OfPairsEncodesBytes) {
  artifact.tensors[0].type = s4;
  tensor(arguments, "A").type = s4;
  tensor(arguments, "A").strides = {160, 1};
  launch();
  const TensorMapCall &map = fake.tensorMaps.at(0);
  EXPECT_EQ(map.type, driver::TensorMapDataType::uint8);
  EXPECT_EQ(map.extents, (std::vector<uint64_t>{128 / 2, 256}));
  EXPECT_EQ(map.strideBytes, std::vector<uint64_t>{160 / 2});
}

TEST_F(Launch, MayStartBeforeTheOneBeforeItEndsWhenTheKernelWaitsForIt) {
  launch();
  EXPECT_FALSE(fake.programmatic);
  artifact.programmaticLaunch = true;
  launch();
  EXPECT_TRUE(fake.programmatic);
  EXPECT_EQ(fake.cluster, (std::array<unsigned, 3>{2, 1, 1}));
  artifact.grid.cluster = {};
  launch();
  EXPECT_TRUE(fake.programmatic);
  EXPECT_EQ(fake.config.attributeCount, 1u);
}

TEST_F(Launch, CanBeCaptured) {
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  Stream stream = Stream::wrap(device, nullptr);
  fake.calls.clear();
  module.launch(arguments, stream);
  EXPECT_EQ(fake.calls, (std::vector<std::string>{"tensorMapEncodeTiled",
                                                  "tensorMapEncodeTiled",
                                                  "launchKernelEx"}));
}

TEST_F(Launch, OfAnEmptyGridDoesNothing) {
  for (auto [m, n] : {std::pair<int64_t, int64_t>{0, 384}, {256, 0}, {0, 0}}) {
    arguments = gemmArguments(m, n, 128);
    for (NamedArgument &argument : arguments)
      if (auto *tensor = std::get_if<TensorArgument>(&argument.value))
        if (tensor->shape[0] == 0 || tensor->shape[1] == 0)
          tensor->data = nullptr;
    launch();
  }
  EXPECT_EQ(fake.launches, 0);
  EXPECT_EQ(fake.count("tensorMapEncodeTiled"), 0);
}

TEST_F(Launch, OfAnEmptyReductionStillWritesTheResult) {
  arguments = gemmArguments(256, 384, 0);
  tensor(arguments, "A").data = nullptr;
  tensor(arguments, "B").data = nullptr;
  launch();
  ASSERT_EQ(fake.launches, 1);
  EXPECT_EQ(fake.parameter<int32_t>(2), 0);
  // The driver refuses null addresses, zero extents and unaligned strides.
  EXPECT_NE(fake.tensorMaps[0].address, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(fake.tensorMaps[0].address) % 16, 0u);
  // One element, of zeros, stands for none.
  EXPECT_EQ(fake.tensorMaps[0].extents, (std::vector<uint64_t>{1, 1}));
  EXPECT_EQ(fake.count("memoryAllocate"), 1);
  EXPECT_EQ(fake.tensorMaps[0].strideBytes[0] % 16, 0u);
}

TEST_F(Launch, TakesSizesThatNoTensorHas) {
  artifact.sizes.push_back("groups");
  artifact.parameters.push_back({Parameter::Kind::size, 3});
  fake.parameterBytes.push_back(4);
  arguments.push_back({"groups", int64_t(7)});
  launch();
  EXPECT_EQ(fake.parameter<int32_t>(8), 7);
  arguments.back().value = int32_t(9);
  launch();
  EXPECT_EQ(fake.parameter<int32_t>(8), 9);
}

TEST_F(Launch, TakesSizesThatAgreeWithTheTensors) {
  arguments.push_back({"K", 128});
  launch();
  EXPECT_EQ(fake.launches, 1);
}

TEST_F(Launch, RoundsScalarsToTheirType) {
  artifact.scalars = {{"alpha", bf16, {}}, {"beta", f16, {}}, {"n", s32, {}}};
  for (int scalar : {0, 1, 2})
    artifact.parameters.push_back({Parameter::Kind::scalar, scalar});
  fake.parameterBytes.insert(fake.parameterBytes.end(), {2, 2, 4});
  arguments.back().value = 1.0;
  arguments.push_back({"beta", -2.0f});
  arguments.push_back({"n", -3});
  launch();
  EXPECT_EQ(fake.parameter<uint16_t>(8), 0x3f80);
  EXPECT_EQ(fake.parameter<uint16_t>(9), 0xc000);
  EXPECT_EQ(fake.parameter<int32_t>(10), -3);
}

TEST_F(Launch, TakesF32DataForATf32Tensor) {
  artifact.tensors[2].type = tf32;
  tensor(arguments, "D").type = f32;
  launch();
  EXPECT_EQ(fake.launches, 1);
}

TEST_F(Launch, IgnoresStridesOfDimensionsWithoutASecondElement) {
  arguments = gemmArguments(1, 384, 128);
  tensor(arguments, "A").strides = {0, 1};
  tensor(arguments, "D").strides = {-5, 1};
  launch();
  ASSERT_EQ(fake.launches, 1);
  EXPECT_EQ(fake.parameter<int64_t>(5) * 2 % 16, 0);
  EXPECT_EQ(fake.tensorMaps[0].strideBytes[0], 256u);
}

TEST_F(Launch, TakesASingleRowOfAnyLength) {
  arguments = gemmArguments(1, 37, 128);
  launch();
  ASSERT_EQ(fake.launches, 1);
  EXPECT_EQ(fake.parameter<int64_t>(5), 40); // 37 bf16, up to 16 bytes
}

TEST_F(Launch, TakesPaddedRows) {
  tensor(arguments, "D").strides = {512, 1};
  launch();
  EXPECT_EQ(fake.parameter<int64_t>(5), 512);
}

TEST_F(Launch, ReportsWhatTheDriverSays) {
  fake.launchResult = driver::Result::invalidValue;
  expectError([&] { launch(); },
              {"(in the kernel: gemm.cpp:10)", "kernel 'gemm'", "384 threads",
               "CUDA_ERROR_FAKE: as the test asked"});
}

TEST_F(Launch, ReportsARefusedTensorMapAtTheTensor) {
  fake.encodeResult = driver::Result::invalidValue;
  expectError([&] { launch(); }, {"(in the kernel: gemm.cpp:11)",
                                  "tensor map of 'A'", "CUDA_ERROR_FAKE"});
  EXPECT_EQ(fake.launches, 0);
}

TEST_F(Launch, AfterARefusedTensorMapEncodesItAgain) {
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  Stream stream = Stream::wrap(device, nullptr);
  fake.encodeResult = driver::Result::invalidValue;
  EXPECT_THROW(module.launch(arguments, stream), Error);
  fake.encodeResult = driver::Result::success;
  module.launch(arguments, stream);
  EXPECT_EQ(fake.tensorMaps.size(), 3u);
  EXPECT_EQ(fake.launches, 1);
}

TEST_F(Launch, WaitsForTheKernel) {
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  fake.eventQueriesUntilDone = 3;
  module.launch_and_wait(arguments, std::chrono::seconds(10));
  EXPECT_EQ(fake.eventQueriesUntilDone, 0);
  EXPECT_EQ(fake.count("eventRecord"), 1);
}

TEST_F(Launch, ReportsAKernelThatFailed) {
  Device device = Device::open(fake.table);
  Module module(device, artifact);
  fake.eventResult = driver::Result::illegalAddress;
  expectError(
      [&] { module.launch_and_wait(arguments, std::chrono::seconds(10)); },
      {"LaunchTest.cpp:", "error: kernel 'gemm' failed on the device",
       "CUDA_ERROR_FAKE", "(in the kernel: gemm.cpp:10"});
}

} // namespace
} // namespace ashlar::test
