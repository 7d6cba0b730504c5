#include "Program.h"

using namespace ashlar::test;

namespace {

class CudaStream : public CudaRuntime {
protected:
  void SetUp() override {
    CudaRuntime::SetUp();
    ASSERT_EQ(cudaStreamCreate(&stream), 0);
  }
  void TearDown() override { EXPECT_EQ(cudaStreamDestroy(stream), 0); }

  void *stream = nullptr;
};

TEST_F(CudaStream, MeasuresTimeBetweenEvents) {
  void *start = nullptr, *end = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), 0);
  ASSERT_EQ(cudaEventCreate(&end), 0);
  ASSERT_EQ(cudaEventRecord(start, stream), 0);
  ASSERT_EQ(cudaEventRecord(end, stream), 0);
  ASSERT_EQ(cudaEventSynchronize(end), 0);
  float milliseconds = -1;
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, start, end), 0);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cudaEventDestroy(start), 0);
  EXPECT_EQ(cudaEventDestroy(end), 0);
  constexpr int invalidHandle = 400;
  EXPECT_EQ(cudaEventRecord(end, stream), invalidHandle);
}

TEST_F(CudaStream, ReplaysWhatItCaptured) {
  DeviceInts from(1), to(1);
  const int value = 3;
  void *graph = nullptr, *exec = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, 0), 0);
  ASSERT_EQ(
      cudaMemcpyAsync(to.pointer, from.pointer, 4, deviceToDevice, stream), 0);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), 0);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), 0);
  ASSERT_EQ(cudaMemcpy(from.pointer, &value, 4, hostToDevice), 0);
  EXPECT_EQ(to[0], 0);
  ASSERT_EQ(cudaGraphLaunch(exec, stream), 0);
  ASSERT_EQ(cudaStreamSynchronize(stream), 0);
  EXPECT_EQ(to[0], 3);
}

} // namespace
