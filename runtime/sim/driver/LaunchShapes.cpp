#include "runtime/sim/driver/LaunchShapes.h"

#include "runtime/sim/driver/Occupancy.h"

#include <cstring>

namespace ashlar::sim {
namespace {

// CUlaunchAttributeID.
enum class Attribute : int {
  ignore = 0,
  accessPolicyWindow = 1,
  cooperative = 2,
  synchronizationPolicy = 3,
  clusterDimension = 4,
  clusterSchedulingPolicy = 5,
  programmaticStreamSerialization = 6,
  programmaticEvent = 7,
  priority = 8,
  memorySynchronizationDomainMap = 9,
  memorySynchronizationDomain = 10,
  preferredClusterDimension = 11,
  launchCompletionEvent = 12,
  deviceUpdatableKernelNode = 13,
  preferredSharedMemoryCarveout = 14,
  nvlinkCentricScheduling = 16,
};

constexpr uint64_t portableCluster = 8;
constexpr uint64_t largestCluster = 16;
/// A device takes more.
constexpr uint64_t mostBlocks = uint64_t(1) << 26;

uint64_t count(const ptx::Dimensions &d) { return uint64_t(d.x) * d.y * d.z; }

std::string text(const ptx::Dimensions &d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " +
         std::to_string(d.z) + ")";
}

Result refuseShape(const std::string &reason) {
  return refuse(Result::invalidValue, reason);
}

Result readAttribute(const driver::LaunchAttribute &attribute,
                     RequestedShape &requested) {
  switch (static_cast<Attribute>(attribute.id)) {
  case Attribute::clusterDimension:
    requested.shape.cluster = {attribute.clusterDimension.x,
                               attribute.clusterDimension.y,
                               attribute.clusterDimension.z};
    return Result::success;
  case Attribute::cooperative: {
    int value = 0;
    std::memcpy(&value, attribute.bytes, sizeof(value));
    requested.cooperative = value != 0;
    return Result::success;
  }
  case Attribute::programmaticEvent:
  case Attribute::launchCompletionEvent: {
    driver::EventHandle event = nullptr;
    std::memcpy(&event, attribute.bytes, sizeof(event));
    requested.eventsToRecord.push_back(event);
    return Result::success;
  }
  // These steer when and where a kernel runs, not what it computes.
  case Attribute::ignore:
  case Attribute::accessPolicyWindow:
  case Attribute::synchronizationPolicy:
  case Attribute::clusterSchedulingPolicy:
  case Attribute::programmaticStreamSerialization:
  case Attribute::priority:
  case Attribute::memorySynchronizationDomainMap:
  case Attribute::memorySynchronizationDomain:
  case Attribute::preferredClusterDimension:
  case Attribute::preferredSharedMemoryCarveout:
  case Attribute::nvlinkCentricScheduling:
    return Result::success;
  case Attribute::deviceUpdatableKernelNode:
    break;
  }
  return refuse(Result::notSupported,
                "the simulator does not know launch attribute " +
                    std::to_string(static_cast<int>(attribute.id)));
}

Result checkBlock(const KernelEntry &kernel, const ptx::Dimensions &block) {
  const ptx::Function &function = kernel.text();
  if (count(block) == 0 || block.x > 1024 || block.y > 1024 || block.z > 64)
    return refuseShape("a block of " + text(block) +
                       ": the limits are 1 to (1024, 1024, 64)");
  if (function.requiredThreads &&
      text(*function.requiredThreads) != text(block))
    return refuseShape("a block of " + text(block) + "; .reqntid of '" +
                       function.name + "' is " +
                       text(*function.requiredThreads));
  if (count(block) > maxThreadsOf(kernel))
    return refuseShape("a block of " + std::to_string(count(block)) +
                       " threads; '" + function.name + "' can have " +
                       std::to_string(maxThreadsOf(kernel)));
  return Result::success;
}

Result checkGrid(const ptx::Dimensions &grid) {
  if (count(grid) == 0 || grid.x > 2147483647u || grid.y > 65535 ||
      grid.z > 65535)
    return refuseShape("a grid of " + text(grid) +
                       " blocks: the limits are 1 to (2147483647, 65535, "
                       "65535)");
  if (count(grid) > mostBlocks)
    return refuse(Result::notSupported,
                  "a grid of " + std::to_string(count(grid)) +
                      " blocks would take days to simulate; the limit is " +
                      std::to_string(mostBlocks) + ": use a smaller problem");
  return Result::success;
}

Result checkCluster(const KernelEntry &kernel, const LaunchShape &shape) {
  const ptx::Dimensions &cluster = shape.cluster, &grid = shape.grid;
  const ptx::Function &function = kernel.text();
  const uint64_t size = count(cluster);
  if (size == 0 || size > largestCluster || cluster.x > largestCluster ||
      cluster.y > largestCluster || cluster.z > largestCluster)
    return refuseShape("a cluster of " + text(cluster) +
                       " blocks: 1 to 16 blocks are possible");
  if (size > portableCluster && !kernel.nonPortableCluster)
    return refuseShape("a cluster of " + std::to_string(size) +
                       " blocks: more than 8 have to be allowed by the "
                       "function attribute NON_PORTABLE_CLUSTER_SIZE_ALLOWED");
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return refuseShape("a grid of " + text(grid) +
                       " blocks is not divisible by the cluster " +
                       text(cluster));
  if (function.requiredCluster &&
      text(*function.requiredCluster) != text(cluster))
    return refuseShape("a cluster of " + text(cluster) +
                       "; .reqnctapercluster of '" + function.name + "' is " +
                       text(*function.requiredCluster));
  if (function.maximumClusterRank && size > *function.maximumClusterRank)
    return refuseShape("a cluster of " + std::to_string(size) +
                       " blocks; .maxclusterrank of '" + function.name +
                       "' is " + std::to_string(*function.maximumClusterRank));
  return Result::success;
}

Result checkShared(const KernelEntry &kernel, uint32_t dynamicBytes) {
  const uint64_t all = uint64_t(staticSharedBytes(kernel)) + dynamicBytes;
  if (all > maxSharedBytes)
    return refuseShape(std::to_string(all) +
                       " bytes of shared memory; a block has " +
                       std::to_string(maxSharedBytes));
  if (dynamicBytes > static_cast<uint32_t>(kernel.maxDynamicSharedBytes))
    return refuseShape(
        std::to_string(dynamicBytes) +
        " bytes of dynamic shared memory; this function may have " +
        std::to_string(kernel.maxDynamicSharedBytes) +
        ": set its attribute MAX_DYNAMIC_SHARED_SIZE_BYTES first");
  return Result::success;
}

} // namespace

Result readShape(const KernelEntry &kernel, const driver::LaunchConfig &config,
                 RequestedShape &requested) {
  LaunchShape &shape = requested.shape;
  shape.grid = {config.gridX, config.gridY, config.gridZ};
  shape.block = {config.blockX, config.blockY, config.blockZ};
  shape.cluster = kernel.text().requiredCluster.value_or(ptx::Dimensions());
  shape.dynamicSharedBytes = config.sharedBytes;
  if (config.attributeCount && !config.attributes)
    return refuseShape("there are launch attributes, but no array of them");
  for (unsigned i = 0; i < config.attributeCount; ++i)
    if (Result result = readAttribute(config.attributes[i], requested);
        result != Result::success)
      return result;
  if (Result result = checkBlock(kernel, shape.block);
      result != Result::success)
    return result;
  if (Result result = checkGrid(shape.grid); result != Result::success)
    return result;
  if (Result result = checkCluster(kernel, shape); result != Result::success)
    return result;
  if (Result result = checkShared(kernel, shape.dynamicSharedBytes);
      result != Result::success)
    return result;
  const uint64_t room =
      uint64_t(smCount) *
      blocksPerSm(kernel, count(shape.block), shape.dynamicSharedBytes);
  if (requested.cooperative && count(shape.grid) > room)
    return refuse(cooperativeLaunchTooLarge,
                  "a cooperative launch of " +
                      std::to_string(count(shape.grid)) +
                      " blocks; the device holds " + std::to_string(room) +
                      " of them at once");
  return Result::success;
}

} // namespace ashlar::sim
