#include "Program.h"

#include <cstring>

using namespace ashlar::test;

namespace {

struct FunctionAttributes {
  size_t sharedBytes, constantBytes, localBytes;
  int maxThreads, registers, ptxVersion, binaryVersion, cacheMode;
  int maxDynamicSharedBytes, rest[24];
};

TEST_F(CudaRuntime, LaunchesWhatStandsBehindAHostFunction) {
  DeviceInts in(threads), out(threads);
  const int addend = 5;
  ASSERT_EQ(cudaMemcpyToSymbol(&program.addend, &addend, 4, 0, hostToDevice),
            0);
  ASSERT_EQ(launchAdd(in.pointer, out.pointer), 0);
  EXPECT_EQ(cudaDeviceSynchronize(), 0);
  EXPECT_EQ(out[0], 5);
  EXPECT_EQ(out[threads - 1], 5);
  int calls = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&calls, &program.calls, 4, 0, deviceToHost),
            0);
  EXPECT_EQ(calls, threads);
}

TEST_F(CudaRuntime, KeepsConfigurationsUntilStubsTakeThem) {
  __cudaPushCallConfiguration({1, 2, 3}, {4, 5, 6}, 7, nullptr);
  __cudaPushCallConfiguration({8}, {9}, 10, nullptr);
  Dim3 grid, block;
  size_t sharedBytes = 0;
  void *stream = nullptr;
  ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &sharedBytes, &stream),
            0);
  EXPECT_EQ(grid.x + block.x + sharedBytes, 27u);
  ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &sharedBytes, &stream),
            0);
  EXPECT_EQ(grid.z * block.z, 18u);
  constexpr int missingConfiguration = 52;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &sharedBytes, &stream),
            missingConfiguration);
}

TEST_F(CudaRuntime, LaunchesClusters) {
  DeviceInts out(8);
  LaunchAttribute cluster;
  cluster.id = 4; // cudaLaunchAttributeClusterDimension
  cluster.cluster = {4};
  const LaunchConfig config = {{8}, {1}, 0, nullptr, &cluster, 1};
  void *parameters[] = {&out.pointer};
  ASSERT_EQ(cudaLaunchKernelExC(&config, &program.rank, parameters), 0);
  EXPECT_EQ(out[3], 3);
  EXPECT_EQ(out[4], 0);
  int clusters = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveClusters(&clusters, &program.rank, &config),
            0);
  EXPECT_GT(clusters, 0);
}

TEST_F(CudaRuntime, TellsAndSetsTheAttributesOfAKernel) {
  constexpr int maxDynamicSharedBytes = 8; // cudaFuncAttribute
  ASSERT_EQ(cudaFuncSetAttribute(&program.add, maxDynamicSharedBytes, 200000),
            0);
  FunctionAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, &program.add), 0);
  EXPECT_EQ(attributes.maxThreads, 1024);
  EXPECT_EQ(attributes.constantBytes, 4u);
  EXPECT_EQ(attributes.binaryVersion, 90);
  EXPECT_EQ(attributes.maxDynamicSharedBytes, 200000);
  int blocks = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &program.add,
                                                          1024, 0),
            0);
  EXPECT_EQ(blocks, 2);
}

TEST_F(CudaRuntime, SaysWhatIsWrongWithAConfiguration) {
  constexpr int invalidConfiguration = 9;
  EXPECT_EQ(cudaLaunchKernel(&program.add, {}, {2048}, nullptr, 0, nullptr),
            invalidConfiguration);
  EXPECT_STREQ(cudaGetErrorName(invalidConfiguration),
               "cudaErrorInvalidConfiguration");
  EXPECT_NE(std::strstr(cudaGetErrorString(invalidConfiguration), "2048"),
            nullptr);
  EXPECT_EQ(cudaPeekAtLastError(), invalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), invalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), 0);
}

TEST_F(CudaRuntime, RefusesFunctionsThatAreNoKernels) {
  constexpr int invalidDeviceFunction = 98;
  EXPECT_EQ(cudaLaunchKernel(this, {}, {}, nullptr, 0, nullptr),
            invalidDeviceFunction);
}

TEST_F(CudaRuntime, SaysWhyAKernelCannotBeLoaded) {
  const Program other(".version 8.8\n.target sm_90a\n.address_size 64\n"
                      ".entry add() { nope; }\n");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(cudaLaunchKernel(&other.add, {}, {}, nullptr, 0, nullptr), 218);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("nope"), std::string::npos) << said;
  EXPECT_EQ(said.find("nope"), said.rfind("nope")) << said;
  EXPECT_NE(std::strstr(cudaGetErrorString(218), "nope"), nullptr);
}

TEST_F(CudaRuntime, WhatALaunchFindsStaysTheLastError) {
  testing::internal::CaptureStderr();
  DeviceInts out(threads);
  ASSERT_EQ(launchAdd(nullptr, out.pointer), 0);
  constexpr int launchFailure = 719;
  EXPECT_EQ(cudaDeviceSynchronize(), launchFailure);
  EXPECT_EQ(cudaGetLastError(), launchFailure);
  EXPECT_EQ(cudaGetLastError(), launchFailure);
  EXPECT_NE(std::strstr(cudaGetErrorString(launchFailure), "out of bounds"),
            nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("out of bounds"),
            std::string::npos);
  EXPECT_EQ(cudaDeviceReset(), 0);
  DeviceInts in(threads), again(threads);
  EXPECT_EQ(launchAdd(in.pointer, again.pointer), 0);
}

} // namespace
