#include "Program.h"

#include <array>
#include <cstring>
#include <numeric>

using namespace ashlar::test;

namespace {

constexpr int invalidValue = 1;

TEST_F(CudaRuntime, CopiesRows) {
  std::array<int, 12> from, to = {};
  std::iota(from.begin(), from.end(), 0);
  DeviceInts device(8);
  // The left two of each row of three or four.
  ASSERT_EQ(
      cudaMemcpy2D(device.pointer, 8, from.data(), 12, 8, 4, hostToDevice), 0);
  ASSERT_EQ(cudaMemcpy2D(to.data(), 12, device.pointer, 8, 8, 4, deviceToHost),
            0);
  EXPECT_EQ(to[4], 4);
  EXPECT_EQ(to[5], 0);
  EXPECT_EQ(to[10], 10);
  constexpr int invalidPitch = 12;
  EXPECT_EQ(
      cudaMemcpy2D(device.pointer, 4, from.data(), 12, 8, 4, hostToDevice),
      invalidPitch);
}

TEST_F(CudaRuntime, RefusesCopiesInAnotherDirection) {
  DeviceInts device(4);
  int host = 0;
  EXPECT_EQ(cudaMemcpy(&host, device.pointer, 4, hostToDevice), invalidValue);
  EXPECT_NE(std::strstr(cudaGetErrorString(invalidValue), "destination"),
            nullptr);
  EXPECT_EQ(cudaMemcpy(device.pointer, device.pointer, 4, hostToDevice),
            invalidValue);
  EXPECT_NE(std::strstr(cudaGetErrorString(invalidValue), "source"), nullptr);
  constexpr int invalidDirection = 21;
  EXPECT_EQ(cudaMemcpy(device.pointer, &host, 4, 7), invalidDirection);
}

TEST_F(CudaRuntime, RefusesToLeaveAVariable) {
  size_t size = 0;
  ASSERT_EQ(cudaGetSymbolSize(&size, &program.calls), 0);
  EXPECT_EQ(size, 4u);
  const std::array<int, 2> two = {};
  EXPECT_EQ(cudaMemcpyToSymbol(&program.calls, two.data(), 8, 0, hostToDevice),
            invalidValue);
  constexpr int invalidSymbol = 13;
  void *pointer = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&pointer, this), invalidSymbol);
}

// The kernel itself never writes to the variable that it names.
TEST_F(CudaRuntime, FindsRacesInAVariableWhoseAddressTheHostPasses) {
  const Program racing(R"(
.version 8.8
.target sm_90a
.address_size 64
.global .align 4 .u32 addend;
.visible .entry add(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  ld.global.u32 %r1, [addend];
  add.u32 %r2, %r1, 1;
  st.global.u32 [%rd1], %r2;
  ret;
}
)");
  void *in = nullptr, *out = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&out, &racing.addend), 0);
  testing::internal::CaptureStderr();
  void *parameters[] = {&in, &out};
  ASSERT_EQ(
      cudaLaunchKernel(&racing.add, {}, {threads}, parameters, 0, nullptr), 0);
  constexpr int launchFailure = 719;
  EXPECT_EQ(cudaDeviceSynchronize(), launchFailure);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("race"),
            std::string::npos);
}

TEST_F(CudaRuntime, TellsDeviceMemoryFromTheHosts) {
  struct {
    int type, device;
    void *devicePointer, *hostPointer;
    long reserved[8];
  } attributes;
  DeviceInts device(4);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, device.pointer), 0);
  EXPECT_EQ(attributes.type, 2);
  EXPECT_EQ(attributes.devicePointer, device.pointer);
  int host = 0;
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, &host), 0);
  EXPECT_EQ(attributes.type, 0);
  EXPECT_EQ(attributes.hostPointer, &host);
  void *pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 16), 0);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, pinned), 0);
  EXPECT_EQ(attributes.type, 1);
  EXPECT_EQ(cudaFreeHost(pinned), 0);
}

TEST_F(CudaRuntime, RefusesByNameWhatItLacks) {
  constexpr int notSupported = 801;
  void *pointer = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMallocManaged(&pointer, 16, 1), notSupported);
  EXPECT_EQ(cudaMallocManaged(&pointer, 16, 1), notSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "simulator: cudaMallocManaged is not implemented\n");
  EXPECT_STREQ(cudaGetErrorString(notSupported),
               "the simulator has no cudaMallocManaged");
}

} // namespace
