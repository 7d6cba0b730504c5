// What is known of a kernel, what may be set, and how many fit.
#include "runtime/sim/cudart/Export.h"
#include "runtime/sim/cudart/LaunchConfig.h"
#include "runtime/sim/cudart/Registration.h"

using namespace ashlar::sim::cudart;

namespace {

/// cudaFuncAttributes.
struct FunctionAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout;
  int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight,
      requiredClusterDepth;
  int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
  int reserved[16];
};
static_assert(sizeof(FunctionAttributes) == 144);

/// A call about the kernel behind a host function.
template <class Work> Error callFor(const void *hostFunction, Work work) {
  return call([&] {
    FunctionHandle function = nullptr;
    if (Error error = findFunction(hostFunction, function);
        error != Error::success)
      return error;
    return record(work(function));
  });
}

/// The same about a launch.
template <class Work>
Error callFor(const void *hostFunction, const RuntimeLaunchConfig *config,
              Work work) {
  return callFor(hostFunction, [&](FunctionHandle function) {
    LaunchConfig forDriver;
    if (!config)
      return record(Error::invalidValue);
    if (Error error = convert(*config, forDriver); error != Error::success)
      return error;
    return record(work(function, &forDriver));
  });
}

} // namespace

ASHLAR_CUDART Error cudaFuncGetAttributes(FunctionAttributes *all,
                                          const void *hostFunction) {
  return callFor(hostFunction, [=](FunctionHandle function) {
    if (!all)
      return Result::invalidValue;
    // CUfunction_attribute counts in this order.
    int values[16] = {};
    for (int i = 0; i < 16; ++i)
      if (Result result = cuFuncGetAttribute(
              &values[i], static_cast<FunctionAttribute>(i), function);
          result != Result::success)
        return result;
    *all = {.sharedSizeBytes = static_cast<size_t>(values[1]),
            .constSizeBytes = static_cast<size_t>(values[2]),
            .localSizeBytes = static_cast<size_t>(values[3]),
            .maxThreadsPerBlock = values[0],
            .numRegs = values[4],
            .ptxVersion = values[5],
            .binaryVersion = values[6],
            .cacheModeCA = values[7],
            .maxDynamicSharedSizeBytes = values[8],
            .preferredShmemCarveout = values[9],
            .clusterDimMustBeSet = values[10],
            .requiredClusterWidth = values[11],
            .requiredClusterHeight = values[12],
            .requiredClusterDepth = values[13],
            .clusterSchedulingPolicyPreference = values[15],
            .nonPortableClusterSizeAllowed = values[14],
            .reserved = {}};
    return Result::success;
  });
}

// cudaFuncAttribute has the driver's numbers.
ASHLAR_CUDART Error cudaFuncSetAttribute(const void *hostFunction,
                                         FunctionAttribute attribute,
                                         int value) {
  return callFor(hostFunction, [=](FunctionHandle function) {
    return cuFuncSetAttribute(function, attribute, value);
  });
}
ASHLAR_CUDART Error cudaKernelSetAttributeForDevice(const void *kernel,
                                                    FunctionAttribute attribute,
                                                    int value, int) {
  return cudaFuncSetAttribute(kernel, attribute, value);
}

ASHLAR_CUDART Error cudaFuncSetCacheConfig(const void *, int) {
  return Error::success;
}
ASHLAR_CUDART Error cudaFuncSetSharedMemConfig(const void *, int) {
  return Error::success;
}

ASHLAR_CUDART Error cudaFuncGetName(const char **name,
                                    const void *hostFunction) {
  return callFor(hostFunction, [=](FunctionHandle function) {
    return cuFuncGetName(name, function);
  });
}

ASHLAR_CUDART Error cudaFuncGetParamInfo(const void *hostFunction, size_t index,
                                         size_t *offset, size_t *bytes) {
  return callFor(hostFunction, [=](FunctionHandle function) {
    return cuFuncGetParamInfo(function, index, offset, bytes);
  });
}

ASHLAR_CUDART Error cudaGetFuncBySymbol(FunctionHandle *result,
                                        const void *hostFunction) {
  return callFor(hostFunction, [=](FunctionHandle function) {
    if (!result)
      return Result::invalidValue;
    *result = function;
    return Result::success;
  });
}
ASHLAR_CUDART_ALIAS(cudaGetKernel, cudaGetFuncBySymbol);

// --- occupancy ---------------------------------------------------------------

ASHLAR_CUDART Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *hostFunction, int threads, size_t dynamicBytes,
    unsigned) {
  return callFor(hostFunction, [=](FunctionHandle function) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function,
                                                       threads, dynamicBytes);
  });
}
ASHLAR_CUDART Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *hostFunction, int threads, size_t dynamicBytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, hostFunction, threads, dynamicBytes, 0);
}
ASHLAR_CUDART Error cudaOccupancyAvailableDynamicSMemPerBlock(
    size_t *bytes, const void *hostFunction, int blocks, int threads) {
  return callFor(hostFunction, [=](FunctionHandle function) {
    return cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks,
                                                   threads);
  });
}
ASHLAR_CUDART Error
cudaOccupancyMaxActiveClusters(int *clusters, const void *hostFunction,
                               const RuntimeLaunchConfig *config) {
  return callFor(hostFunction, config,
                 [=](FunctionHandle function, const LaunchConfig *forDriver) {
                   return cuOccupancyMaxActiveClusters(clusters, function,
                                                       forDriver);
                 });
}
ASHLAR_CUDART Error cudaOccupancyMaxPotentialClusterSize(
    int *size, const void *hostFunction, const RuntimeLaunchConfig *config) {
  return callFor(hostFunction, config,
                 [=](FunctionHandle function, const LaunchConfig *forDriver) {
                   return cuOccupancyMaxPotentialClusterSize(size, function,
                                                             forDriver);
                 });
}
