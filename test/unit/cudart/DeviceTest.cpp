#include "Program.h"

#include <cstring>

using namespace ashlar::test;

#if ASHLAR_CUDART_MAJOR == 12
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif
extern "C" int cudaGetDeviceProperties(void *properties, int device);

namespace {

template <class T> T readAt(const std::string &bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

TEST_F(CudaRuntime, HasOneHopperDevice) {
  int count = 0, value = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), 0);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaSetDevice(0), 0);
  constexpr int invalidDevice = 101, multiprocessors = 16;
  EXPECT_EQ(cudaSetDevice(1), invalidDevice);
  ASSERT_EQ(cudaDeviceGetAttribute(&value, multiprocessors, 0), 0);
  EXPECT_EQ(value, 132);
}

TEST_F(CudaRuntime, HasThePropertiesOfItsVersion) {
  // The offsets in the structures of CUDA 12 and 13.
  constexpr bool is12 = ASHLAR_CUDART_MAJOR == 12;
  constexpr size_t sizeBytes = is12 ? 1032 : 1008, behind = 64;
  std::string bytes(sizeBytes + behind, '\x55');
  ASSERT_EQ(cudaGetDeviceProperties(bytes.data(), 0), 0);
  EXPECT_NE(bytes.find("Ashlar simulator"), std::string::npos);
  EXPECT_EQ(readAt<int>(bytes, 360), 9); // major
  EXPECT_EQ(readAt<int>(bytes, is12 ? 388 : 384), 132);
  EXPECT_EQ(readAt<size_t>(bytes, is12 ? 696 : 672), 232448u);
  EXPECT_EQ(readAt<int>(bytes, is12 ? 772 : 748), 1); // cluster launch
  EXPECT_EQ(bytes.substr(sizeBytes), std::string(behind, '\x55'));
}

TEST_F(CudaRuntime, GivesTheDriversFunctionsByName) {
  void *function = nullptr;
  int status = 1, version = 0;
  ASSERT_EQ(
      cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, 0, &status),
      0);
  EXPECT_NE(function, nullptr);
  EXPECT_EQ(status, 0);
  ASSERT_EQ(cudaGetDriverEntryPoint("cuNothing", &function, 0, &status), 0);
  EXPECT_EQ(status, 1);
  ASSERT_EQ(cudaRuntimeGetVersion(&version), 0);
  EXPECT_EQ(version / 1000, ASHLAR_CUDART_MAJOR);
}

TEST_F(CudaRuntime, NamesErrors) {
  EXPECT_STREQ(cudaGetErrorString(0), "no error");
  EXPECT_STREQ(cudaGetErrorName(46), "cudaErrorDevicesUnavailable");
  EXPECT_STREQ(cudaGetErrorString(46), "devices unavailable");
  EXPECT_STREQ(cudaGetErrorName(12345), "unrecognized error code");
}

} // namespace
