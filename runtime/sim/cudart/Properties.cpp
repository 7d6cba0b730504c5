// cudaGetDeviceProperties: what the driver says in one structure.
#include "runtime/sim/cudart/Properties.h"

#include "runtime/sim/cudart/Export.h"

#include <cstring>

using namespace ashlar::sim::cudart;

namespace {

int attribute(int id) {
  int value = 0;
  cuDeviceGetAttribute(&value, static_cast<ashlar::driver::DeviceAttribute>(id),
                       0);
  return value;
}

void fillLimits(DeviceProperties &all) {
  all.sharedMemPerBlock = static_cast<size_t>(attribute(8));
  all.regsPerBlock = attribute(12);
  all.warpSize = attribute(10);
  all.memPitch = static_cast<size_t>(attribute(11));
  all.maxThreadsPerBlock = attribute(1);
  for (int i = 0; i < 3; ++i) {
    all.maxThreadsDim[i] = attribute(2 + i);
    all.maxGridSize[i] = attribute(5 + i);
  }
  all.totalConstMem = static_cast<size_t>(attribute(9));
  all.major = attribute(75);
  all.minor = attribute(76);
  all.maxThreadsPerMultiProcessor = attribute(39);
  all.sharedMemPerMultiprocessor = static_cast<size_t>(attribute(81));
  all.regsPerMultiprocessor = attribute(82);
  all.sharedMemPerBlockOptin = static_cast<size_t>(attribute(97));
  all.maxBlocksPerMultiProcessor = attribute(106);
  all.reservedSharedMemPerBlock = static_cast<size_t>(attribute(111));
}

void fillMemory(DeviceProperties &all) {
  cuDeviceTotalMem_v2(&all.totalGlobalMem, 0);
  all.textureAlignment = static_cast<size_t>(attribute(14));
  all.texturePitchAlignment = static_cast<size_t>(attribute(51));
  all.surfaceAlignment = static_cast<size_t>(attribute(30));
  all.canMapHostMemory = attribute(19);
  all.unifiedAddressing = attribute(41);
  all.memoryBusWidth = attribute(37);
  all.l2CacheSize = attribute(38);
  all.persistingL2CacheMaxSize = attribute(108);
  all.accessPolicyMaxWindowSize = attribute(109);
  all.globalL1CacheSupported = attribute(79);
  all.localL1CacheSupported = attribute(80);
  all.memoryPoolsSupported = attribute(115);
}

void fillAbilities(DeviceProperties &all) {
  all.multiProcessorCount = attribute(16);
  all.concurrentKernels = attribute(31);
  all.asyncEngineCount = attribute(40);
  all.streamPrioritiesSupported = attribute(78);
  all.computePreemptionSupported = attribute(90);
  all.cooperativeLaunch = attribute(95);
  all.clusterLaunch = attribute(120);
#if ASHLAR_CUDART_MAJOR < 13
  all.clockRate = attribute(13);
  all.memoryClockRate = attribute(36);
  all.deviceOverlap = attribute(15);
  all.singleToDoublePrecisionPerfRatio = attribute(87);
#endif
}

Error read(DeviceProperties &all, int device) {
  return call([&] {
    all = {};
    if (Result result = cuDeviceGetName(all.name, sizeof(all.name), device);
        result != Result::success)
      return result;
    fillLimits(all);
    fillMemory(all);
    fillAbilities(all);
    return cuDeviceGetUuid_v2(all.uuid, device);
  });
}

} // namespace

#if ASHLAR_CUDART_MAJOR < 13
ASHLAR_CUDART Error cudaGetDeviceProperties_v2(DeviceProperties *all,
                                               int device) {
  return all ? read(*all, device) : record(Error::invalidValue);
}
// The structure of CUDA 11 ends before what came with 12.
ASHLAR_CUDART Error cudaGetDeviceProperties(void *all, int device) {
  DeviceProperties properties;
  const Error error = read(properties, device);
  if (error == Error::success)
    std::memcpy(all, &properties,
                offsetof(DeviceProperties, hostRegisterSupported));
  return error;
}
#else
ASHLAR_CUDART Error cudaGetDeviceProperties(DeviceProperties *all, int device) {
  return all ? read(*all, device) : record(Error::invalidValue);
}
#endif
