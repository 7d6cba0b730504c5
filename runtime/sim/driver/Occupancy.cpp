#include "runtime/sim/driver/Occupancy.h"

#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/LaunchShapes.h"
#include "runtime/sim/machine/Cluster.h"

#include <algorithm>

namespace ashlar::sim {
namespace {

// Of compute capability 9.0.
constexpr uint64_t threadsPerSm = 2048;
constexpr uint64_t mostBlocksPerSm = 32;
constexpr uint64_t sharedBytesPerSm = 233472;
constexpr uint64_t registerUnit = 256; // allocated to a warp

uint64_t count(const ptx::Dimensions &d) { return uint64_t(d.x) * d.y * d.z; }

/// The threads of a block as far as the PTX says.
uint64_t declaredThreads(const ptx::Function &kernel) {
  return kernel.requiredThreads  ? count(*kernel.requiredThreads)
         : kernel.maximumThreads ? count(*kernel.maximumThreads)
                                 : 0;
}

} // namespace

uint32_t maxThreadsOf(const KernelEntry &kernel) {
  const uint64_t declared = declaredThreads(kernel.text());
  return static_cast<uint32_t>(
      declared ? std::min<uint64_t>(declared, maxThreads) : maxThreads);
}

uint32_t registersOf(const KernelEntry &kernel) {
  const ptx::Function &text = kernel.text();
  if (text.maximumRegisters)
    return *text.maximumRegisters;
  const uint64_t threads = declaredThreads(text);
  if (threads == 0 || !text.minimumBlocks)
    return 32;
  const uint64_t blocks = std::max(1u, *text.minimumBlocks);
  const uint64_t each = registersPerSm / (threads * blocks) / 8 * 8;
  return static_cast<uint32_t>(std::clamp<uint64_t>(each, 24, 255));
}

uint32_t staticSharedBytes(const KernelEntry &kernel) {
  return kernel.function().shared.dynamicBegin - reservedSharedBytes;
}

uint32_t blocksPerSm(const KernelEntry &kernel, uint64_t threads,
                     uint64_t dynamicSharedBytes) {
  const uint64_t warps = (threads + warpLanes - 1) / warpLanes;
  if (warps == 0)
    return 0;
  const uint64_t shared =
      staticSharedBytes(kernel) + dynamicSharedBytes + reservedSharedBytes;
  const uint64_t registers =
      (registersOf(kernel) * warpLanes + registerUnit - 1) / registerUnit *
      registerUnit * warps;
  return static_cast<uint32_t>(
      std::min({mostBlocksPerSm, threadsPerSm / (warps * warpLanes),
                sharedBytesPerSm / shared, registersPerSm / registers}));
}

namespace calls {

Result occupancyMaxActiveBlocks(int *blocks, FunctionHandle function,
                                int threads, size_t dynamicSharedBytes) {
  std::lock_guard lock(state().lock);
  const KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return Result::invalidHandle;
  if (!blocks || threads < 1)
    return Result::invalidValue;
  *blocks = static_cast<int>(
      blocksPerSm(*kernel, static_cast<uint64_t>(threads), dynamicSharedBytes));
  return Result::success;
}

// How the SMs are grouped is left out: a real device holds a few less of the
// great clusters.
Result occupancyMaxActiveClusters(int *clusters, FunctionHandle function,
                                  const LaunchConfig *config) {
  std::lock_guard lock(state().lock);
  const KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return Result::invalidHandle;
  if (!clusters || !config)
    return Result::invalidValue;
  RequestedShape requested;
  if (Result result = readShape(*kernel, *config, requested);
      result != Result::success)
    return result;
  const uint64_t blocks =
      uint64_t(smCount) *
      blocksPerSm(*kernel, count(requested.shape.block), config->sharedBytes);
  *clusters = static_cast<int>(blocks / count(requested.shape.cluster));
  return Result::success;
}

Result occupancyMaxClusterSize(int *size, FunctionHandle function,
                               const LaunchConfig *config) {
  std::lock_guard lock(state().lock);
  const KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return Result::invalidHandle;
  if (!size || !config)
    return Result::invalidValue;
  *size = kernel->nonPortableCluster ? 16 : 8;
  return Result::success;
}

} // namespace calls
} // namespace ashlar::sim
