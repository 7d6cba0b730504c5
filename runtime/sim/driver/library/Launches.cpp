// cuLaunch*, cuOccupancy*, cuTensorMap*.
#include "runtime/sim/driver/Occupancy.h"
#include "runtime/sim/driver/library/Export.h"
#include "runtime/sim/machine/copies/TensorMap.h"

#include <algorithm>
#include <cstring>

using namespace ashlar::sim;
using namespace ashlar::sim::library;

ASHLAR_CUDA Result cuLaunchKernelEx(const LaunchConfig *config,
                                    FunctionHandle function, void **parameters,
                                    void **extra) {
  return calls::launchKernelEx(config, function, parameters, extra);
}
ASHLAR_CUDA_ALIAS(cuLaunchKernelEx_ptsz, cuLaunchKernelEx);

ASHLAR_CUDA Result cuLaunchKernel(FunctionHandle function, unsigned gridX,
                                  unsigned gridY, unsigned gridZ,
                                  unsigned blockX, unsigned blockY,
                                  unsigned blockZ, unsigned sharedBytes,
                                  StreamHandle stream, void **parameters,
                                  void **extra) {
  const LaunchConfig config = {gridX,  gridY,       gridZ,  blockX,  blockY,
                               blockZ, sharedBytes, stream, nullptr, 0};
  return calls::launchKernelEx(&config, function, parameters, extra);
}
ASHLAR_CUDA_ALIAS(cuLaunchKernel_ptsz, cuLaunchKernel);

ASHLAR_CUDA Result cuLaunchCooperativeKernel(
    FunctionHandle function, unsigned gridX, unsigned gridY, unsigned gridZ,
    unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
    StreamHandle stream, void **parameters) {
  LaunchAttribute cooperative = {};
  cooperative.id = static_cast<LaunchAttributeId>(2);
  const int yes = 1;
  std::memcpy(cooperative.bytes, &yes, sizeof(yes));
  const LaunchConfig config = {gridX,        gridY,  gridZ,       blockX,
                               blockY,       blockZ, sharedBytes, stream,
                               &cooperative, 1};
  return calls::launchKernelEx(&config, function, parameters, nullptr);
}
ASHLAR_CUDA_ALIAS(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel);

ASHLAR_CUDA Result cuLaunchHostFunc(StreamHandle stream,
                                    void (*function)(void *), void *data) {
  if (!function)
    return Result::invalidValue;
  return calls::perform(stream, [=] {
    function(data);
    return Result::success;
  });
}
ASHLAR_CUDA_ALIAS(cuLaunchHostFunc_ptsz, cuLaunchHostFunc);

ASHLAR_CUDA Result cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, FunctionHandle function, int threads, size_t dynamicBytes) {
  return calls::occupancyMaxActiveBlocks(blocks, function, threads,
                                         dynamicBytes);
}
ASHLAR_CUDA Result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, FunctionHandle function, int threads, size_t dynamicBytes,
    unsigned) {
  return calls::occupancyMaxActiveBlocks(blocks, function, threads,
                                         dynamicBytes);
}

ASHLAR_CUDA Result cuOccupancyMaxPotentialBlockSize(
    int *grid, int *block, FunctionHandle function,
    size_t (*dynamicBytesOf)(int), size_t dynamicBytes, int limit) {
  std::lock_guard lock(state().lock);
  const KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return Result::invalidHandle;
  if (!grid || !block)
    return Result::invalidValue;
  int most = static_cast<int>(maxThreadsOf(*kernel));
  if (limit > 0)
    most = std::min(most, limit);
  int best = 0;
  *block = *grid = 0;
  for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
    const int size = std::min(threads, most);
    const int blocks = static_cast<int>(
        blocksPerSm(*kernel, static_cast<uint64_t>(size),
                    dynamicBytesOf ? dynamicBytesOf(size) : dynamicBytes));
    if (blocks * size > best) {
      best = blocks * size;
      *block = size;
      *grid = blocks * static_cast<int>(smCount);
    }
  }
  return Result::success;
}
ASHLAR_CUDA Result cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *block, FunctionHandle function,
    size_t (*dynamicBytesOf)(int), size_t dynamicBytes, int limit, unsigned) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, dynamicBytesOf,
                                          dynamicBytes, limit);
}

ASHLAR_CUDA Result cuOccupancyAvailableDynamicSMemPerBlock(
    size_t *bytes, FunctionHandle function, int blocks, int threads) {
  std::lock_guard lock(state().lock);
  const KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return Result::invalidHandle;
  if (!bytes || blocks < 1 || threads < 1)
    return Result::invalidValue;
  constexpr int64_t perSm = 233472, reserved = 1024;
  const int64_t each =
      perSm / blocks / 128 * 128 - reserved - staticSharedBytes(*kernel);
  *bytes = static_cast<size_t>(std::clamp<int64_t>(
      each, 0, maxSharedBytes - staticSharedBytes(*kernel)));
  return Result::success;
}
ASHLAR_CUDA Result cuOccupancyMaxActiveClusters(int *clusters,
                                                FunctionHandle function,
                                                const LaunchConfig *config) {
  return calls::occupancyMaxActiveClusters(clusters, function, config);
}
ASHLAR_CUDA Result cuOccupancyMaxPotentialClusterSize(
    int *size, FunctionHandle function, const LaunchConfig *config) {
  return calls::occupancyMaxClusterSize(size, function, config);
}

ASHLAR_CUDA Result cuTensorMapEncodeTiled(
    ashlar::driver::TensorMap *map, TensorMapDataType type, uint32_t rank,
    void *address, const uint64_t *extents, const uint64_t *strideBytes,
    const uint32_t *box, const uint32_t *elementStrides,
    TensorMapInterleave interleave, TensorMapSwizzle swizzle,
    TensorMapL2Promotion promotion, TensorMapOutOfBoundsFill fill) {
  return calls::tensorMapEncodeTiled(map, type, rank, address, extents,
                                     strideBytes, box, elementStrides,
                                     interleave, swizzle, promotion, fill);
}

ASHLAR_CUDA Result cuTensorMapReplaceAddress(ashlar::driver::TensorMap *map,
                                             void *address) {
  if (!map)
    return Result::invalidValue;
  ashlar::sim::TensorMap fields;
  std::optional<std::string> broken = unpackTensorMap(map->opaque, fields);
  if (!broken) {
    fields.address = reinterpret_cast<uintptr_t>(address);
    broken = encodeTensorMap(map->opaque, fields);
  }
  return broken ? refuse(Result::invalidValue, *broken) : Result::success;
}
