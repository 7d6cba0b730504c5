// What nvcc would have made of
//
//   __constant__ int addend;
//   __device__ int calls;
//   __global__ void add(const int *in, int *out);  // out[i] = in[i] + addend
//   __global__ void rank(int *out);                // out[block] = rank in
//   cluster
//
// with the addresses that stand for these on the host.
#pragma once

#include "Runtime.h"
#include "test/unit/sim/FatBinaryText.h"

#include <gtest/gtest.h>
#include <string>

namespace ashlar::test {

inline const char *const programText = R"(
.version 8.8
.target sm_90a
.address_size 64
.const .align 4 .u32 addend;
.global .align 4 .u32 calls;
.visible .entry add(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.u32 %r2, [%rd4];
  ld.const.u32 %r3, [addend];
  add.u32 %r4, %r2, %r3;
  st.global.u32 [%rd5], %r4;
  red.global.add.u32 [calls], 1;
  ret;
}
.visible .entry rank(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r2, %cluster_ctarank;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

/// Registers itself, as a program does before main.
class Program {
public:
  explicit Program(std::string text = programText)
      : bytes(fatBinary(FatBinaryEntry{EntryKind::ptx, std::move(text)})) {
    wrapper.binary = bytes.data();
    handle = __cudaRegisterFatBinary(&wrapper);
    for (auto [host, name] : {std::pair{&add, "add"}, {&rank, "rank"}})
      __cudaRegisterFunction(handle, host, host, name, -1, nullptr, nullptr,
                             nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, &addend, &addend, "addend", 0, 4, 1, 0);
    __cudaRegisterVar(handle, &calls, &calls, "calls", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  ~Program() { __cudaUnregisterFatBinary(handle); }
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  char add = 0, rank = 0, addend = 0, calls = 0;

private:
  std::string bytes;
  FatBinaryWrapper wrapper = {.binary = nullptr};
  void **handle = nullptr;
};

/// An int for each thread of a block, on the device.
class DeviceInts {
public:
  explicit DeviceInts(size_t count) : sizeBytes(count * sizeof(int)) {
    EXPECT_EQ(cudaMalloc(&pointer, sizeBytes), 0);
    EXPECT_EQ(cudaMemset(pointer, 0, sizeBytes), 0);
  }
  ~DeviceInts() { cudaFree(pointer); }
  DeviceInts(const DeviceInts &) = delete;
  DeviceInts &operator=(const DeviceInts &) = delete;

  int operator[](size_t index) const {
    int value = 0;
    EXPECT_EQ(cudaMemcpy(&value, static_cast<int *>(pointer) + index,
                         sizeof(value), deviceToHost),
              0);
    return value;
  }

  void *pointer = nullptr;
  size_t sizeBytes;
};

/// The device is as at a program's start.
class CudaRuntime : public testing::Test {
protected:
  void SetUp() override {
    cudaDeviceReset();
    cudaGetLastError();
  }

  static constexpr int threads = 64;
  Program program;

  int launchAdd(void *in, void *out) const {
    void *parameters[] = {&in, &out};
    return cudaLaunchKernel(&program.add, {}, {threads}, parameters, 0,
                            nullptr);
  }
};

} // namespace ashlar::test
