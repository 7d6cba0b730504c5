// What is known of a kernel, and what may be set.
#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/Occupancy.h"
#include "runtime/sim/driver/State.h"

namespace ashlar::sim::calls {
namespace {

// CUfunction_attribute.
enum class Attribute : int {
  maxThreadsPerBlock = 0,
  sharedSizeBytes = 1,
  constantSizeBytes = 2,
  localSizeBytes = 3,
  registers = 4,
  ptxVersion = 5,
  binaryVersion = 6,
  cacheModeCa = 7,
  maxDynamicSharedSizeBytes = 8,
  preferredCarveout = 9,
  clusterSizeMustBeSet = 10,
  requiredClusterWidth = 11,
  requiredClusterHeight = 12,
  requiredClusterDepth = 13,
  nonPortableClusterSizeAllowed = 14,
  clusterSchedulingPolicy = 15,
};

Result noKernel() {
  return refuse(Result::invalidHandle, "there is no such function");
}

int constantBytes(const ptx::Module &module) {
  uint64_t bytes = 0;
  for (const ptx::Variable &variable : module.variables)
    if (variable.space == ptx::StateSpace::constant)
      bytes += variable.sizeBytes();
  return static_cast<int>(bytes);
}

int valueOf(const KernelEntry &kernel, Attribute attribute) {
  const ptx::Module &module = *kernel.module->program->module;
  const std::optional<ptx::Dimensions> &cluster = kernel.text().requiredCluster;
  switch (attribute) {
  case Attribute::maxThreadsPerBlock:
    return static_cast<int>(maxThreadsOf(kernel));
  case Attribute::sharedSizeBytes:
    return static_cast<int>(staticSharedBytes(kernel));
  case Attribute::constantSizeBytes:
    return constantBytes(module);
  case Attribute::localSizeBytes:
    return static_cast<int>(kernel.function().frameBytes);
  case Attribute::registers:
    return static_cast<int>(registersOf(kernel));
  case Attribute::ptxVersion:
    return 10 * module.versionMajor + module.versionMinor;
  case Attribute::binaryVersion:
    return 90;
  case Attribute::cacheModeCa:
    return 0;
  case Attribute::maxDynamicSharedSizeBytes:
    return kernel.maxDynamicSharedBytes;
  case Attribute::preferredCarveout:
    return kernel.preferredCarveout;
  case Attribute::clusterSizeMustBeSet:
    return kernel.text().explicitCluster && !cluster;
  case Attribute::requiredClusterWidth:
    return cluster ? static_cast<int>(cluster->x) : 0;
  case Attribute::requiredClusterHeight:
    return cluster ? static_cast<int>(cluster->y) : 0;
  case Attribute::requiredClusterDepth:
    return cluster ? static_cast<int>(cluster->z) : 0;
  case Attribute::nonPortableClusterSizeAllowed:
    return kernel.nonPortableCluster;
  case Attribute::clusterSchedulingPolicy:
    return kernel.schedulingPolicy;
  }
  return 0;
}

} // namespace

Result functionGetAttribute(int *value, FunctionAttribute attribute,
                            FunctionHandle function) {
  std::lock_guard lock(state().lock);
  const KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return noKernel();
  if (!value || static_cast<int>(attribute) < 0 ||
      static_cast<int>(attribute) > 15)
    return Result::invalidValue;
  *value = valueOf(*kernel, static_cast<Attribute>(attribute));
  return Result::success;
}

Result functionSetAttribute(FunctionHandle function,
                            FunctionAttribute attribute, int value) {
  std::lock_guard lock(state().lock);
  KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return noKernel();
  switch (static_cast<Attribute>(attribute)) {
  case Attribute::maxDynamicSharedSizeBytes: {
    const int most = static_cast<int>(maxSharedBytes) -
                     static_cast<int>(staticSharedBytes(*kernel));
    if (value < 0 || value > most)
      return refuse(Result::invalidValue,
                    std::to_string(value) +
                        " bytes of dynamic shared memory: a block of this "
                        "kernel can have 0 to " +
                        std::to_string(most));
    kernel->maxDynamicSharedBytes = value;
    return Result::success;
  }
  case Attribute::preferredCarveout:
    if (value < -1 || value > 100)
      return refuse(Result::invalidValue,
                    "the carveout is -1 or 0 to 100 percent");
    kernel->preferredCarveout = value;
    return Result::success;
  case Attribute::nonPortableClusterSizeAllowed:
    kernel->nonPortableCluster = value != 0;
    return Result::success;
  case Attribute::clusterSchedulingPolicy:
    if (value < 0 || value > 2)
      return Result::invalidValue;
    kernel->schedulingPolicy = value;
    return Result::success;
  default:
    return refuse(Result::invalidValue,
                  "function attribute " +
                      std::to_string(static_cast<int>(attribute)) +
                      " can't be set: the PTX fixes it, or it is none");
  }
}

Result functionGetName(const char **name, FunctionHandle function) {
  std::lock_guard lock(state().lock);
  const KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return noKernel();
  if (!name)
    return Result::invalidValue;
  *name = kernel->text().name.c_str();
  return Result::success;
}

Result functionGetModule(ModuleHandle *module, FunctionHandle function) {
  std::lock_guard lock(state().lock);
  const KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return noKernel();
  if (!module)
    return Result::invalidValue;
  *module = reinterpret_cast<ModuleHandle>(kernel->module);
  return Result::success;
}

Result functionGetParameter(FunctionHandle function, size_t index,
                            size_t *offset, size_t *sizeBytes) {
  std::lock_guard lock(state().lock);
  const KernelEntry *kernel = state().kernel(function);
  if (!kernel)
    return noKernel();
  if (index >= kernel->text().parameters.size())
    return Result::invalidValue;
  if (offset)
    *offset = kernel->function().parameterBlockOffsets[index];
  if (sizeBytes)
    *sizeBytes = kernel->text().parameters[index].sizeBytes();
  return Result::success;
}

} // namespace ashlar::sim::calls
