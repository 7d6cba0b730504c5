// The types of the CUDA driver's ABI (libcuda.so.1, CUDA 12 and 13), declared
// here so that no CUDA header is needed. Only the values that are used are
// named.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ashlar::driver {

using DeviceOrdinal = int;
using DevicePointer = unsigned long long;
using ContextHandle = struct ContextObject *;
using ModuleHandle = struct ModuleObject *;
using FunctionHandle = struct FunctionObject *;
using StreamHandle = struct StreamObject *;
using EventHandle = struct EventObject *;
using GraphHandle = struct GraphObject *;
using GraphExecHandle = struct GraphExecObject *;

enum class Result : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  invalidPtx = 218,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  peerAccessAlreadyEnabled = 704,
  launchFailed = 719,
  notSupported = 801,
  unknown = 999,
};

enum class DeviceAttribute : int {
  multiprocessorCount = 16,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  maxSharedMemoryPerBlockOptin = 97,
};

enum class FunctionAttribute : int {
  localSizeBytes = 3,
  registers = 4,
  maxDynamicSharedSizeBytes = 8,
  nonPortableClusterSizeAllowed = 14,
};

enum class JitOption : int { errorLogBuffer = 5, errorLogBufferSizeBytes = 6 };

enum class StreamCaptureMode : int { global = 0, threadLocal = 1, relaxed = 2 };

inline constexpr unsigned streamDefault = 0;
inline constexpr unsigned eventDefault = 0;
inline constexpr unsigned eventDisableTiming = 2;

enum class TensorMapDataType : int {
  uint8 = 0,
  uint16 = 1,
  int32 = 3,
  float16 = 6,
  float32 = 7,
  bfloat16 = 9
};
enum class TensorMapInterleave : int { none = 0 };
enum class TensorMapSwizzle : int {
  none = 0,
  bytes32 = 1,
  bytes64 = 2,
  bytes128 = 3
};
enum class TensorMapL2Promotion : int {
  none = 0,
  bytes64 = 1,
  bytes128 = 2,
  bytes256 = 3
};
enum class TensorMapOutOfBoundsFill : int { zeros = 0 };

/// CUtensorMap. The ABI asks for 64-byte alignment; CUDA 13 declares 128.
struct alignas(128) TensorMap {
  uint64_t opaque[16];
};

enum class LaunchAttributeId : int {
  clusterDimension = 4,
  programmaticStreamSerialization = 6,
};

/// CUlaunchAttribute: of the 64-byte value only what is used is named.
struct LaunchAttribute {
  LaunchAttributeId id;
  uint32_t padding;
  union {
    struct {
      unsigned x, y, z;
    } clusterDimension;
    int programmaticStreamSerializationAllowed;
    uint64_t bytes[8];
  };
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// Of a tensor that a kernel works on, for a driver that checks accesses; not
/// CUDA's. Strides are in elements, the outermost dimension's first.
struct TensorPlace {
  const char *name;
  DevicePointer address;
  uint32_t elementBytes, rank;
  const int64_t *extents, *strides;
};

static_assert(sizeof(Result) == 4);
static_assert(sizeof(TensorMap) == 128);
static_assert(sizeof(LaunchAttribute) == 72 &&
              offsetof(LaunchAttribute, clusterDimension) == 8);
static_assert(sizeof(LaunchConfig) == 56 &&
              offsetof(LaunchConfig, sharedBytes) == 24);
static_assert(offsetof(LaunchConfig, stream) == 32 &&
              offsetof(LaunchConfig, attributes) == 40);
static_assert(offsetof(LaunchConfig, attributeCount) == 48);

} // namespace ashlar::driver
