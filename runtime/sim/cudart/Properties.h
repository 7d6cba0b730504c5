// cudaDeviceProp, which differs between CUDA 12 and 13. What concerns textures
// and surfaces is 0: the simulator has none.
#pragma once

#include <cstddef>

namespace ashlar::sim::cudart {

struct DeviceProperties {
  char name[256];
  unsigned char uuid[16];
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
#if ASHLAR_CUDART_MAJOR < 13
  int clockRate;
#endif
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
#if ASHLAR_CUDART_MAJOR < 13
  int deviceOverlap;
#endif
  int multiProcessorCount;
#if ASHLAR_CUDART_MAJOR < 13
  int kernelExecTimeoutEnabled;
#endif
  int integrated, canMapHostMemory;
#if ASHLAR_CUDART_MAJOR < 13
  int computeMode;
  int texturesAndSurfaces[40];
#else
  int texturesAndSurfaces[39];
#endif
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled;
  int pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing;
#if ASHLAR_CUDART_MAJOR < 13
  int memoryClockRate;
#endif
  int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported;
  int globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  int managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported;
#if ASHLAR_CUDART_MAJOR < 13
  int singleToDoublePrecisionPerfRatio;
#endif
  int pageableMemoryAccess, concurrentManagedAccess;
  int computePreemptionSupported, canUseHostPointerForRegisteredMem;
  int cooperativeLaunch;
#if ASHLAR_CUDART_MAJOR < 13
  int cooperativeMultiDeviceLaunch;
#endif
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported;
  int hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported;
  int memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
  int unifiedFunctionPointers;
  int reserved[63];
};

#if ASHLAR_CUDART_MAJOR < 13
static_assert(sizeof(DeviceProperties) == 1032);
static_assert(offsetof(DeviceProperties, surfaceAlignment) == 568);
static_assert(offsetof(DeviceProperties, sharedMemPerBlockOptin) == 696);
static_assert(offsetof(DeviceProperties, clusterLaunch) == 772);
#else
static_assert(sizeof(DeviceProperties) == 1008);
static_assert(offsetof(DeviceProperties, surfaceAlignment) == 552);
static_assert(offsetof(DeviceProperties, sharedMemPerBlockOptin) == 672);
static_assert(offsetof(DeviceProperties, clusterLaunch) == 748);
#endif

} // namespace ashlar::sim::cudart
