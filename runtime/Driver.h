// The one table of driver entry points through which everything reaches a
// device. libcuda.so.1 fills it when there is a GPU; the simulator fills the
// same table. The functions mean what the CUDA driver API's of the same name
// mean, and the handles are opaque: a second driver may point them at objects
// of its own.
#pragma once

#include "runtime/DriverTypes.h"

#include <string>

namespace ashlar {

struct DriverTable {
  using Result = driver::Result;

  /// The driver executes PTX text only, so a cubin must not be handed to it.
  bool loadsPtxOnly = false;

  Result (*init)(unsigned flags);
  Result (*getErrorName)(Result error, const char **name);
  Result (*getErrorString)(Result error, const char **text);

  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(driver::DeviceOrdinal *device, int ordinal);
  Result (*deviceGetName)(char *name, int length, driver::DeviceOrdinal device);
  Result (*deviceGetAttribute)(int *value, driver::DeviceAttribute attribute,
                               driver::DeviceOrdinal device);
  Result (*primaryContextRetain)(driver::ContextHandle *context,
                                 driver::DeviceOrdinal device);
  Result (*primaryContextRelease)(driver::DeviceOrdinal device);
  Result (*contextSetCurrent)(driver::ContextHandle context);
  /// Null in a driver that has one device.
  Result (*deviceCanAccessPeer)(int *can, driver::DeviceOrdinal device,
                                driver::DeviceOrdinal peer);
  Result (*contextEnablePeerAccess)(driver::ContextHandle peer, unsigned flags);

  Result (*moduleLoadDataEx)(driver::ModuleHandle *module, const void *image,
                             unsigned optionCount, driver::JitOption *options,
                             void **optionValues);
  Result (*moduleUnload)(driver::ModuleHandle module);
  Result (*moduleGetFunction)(driver::FunctionHandle *function,
                              driver::ModuleHandle module, const char *name);
  Result (*functionSetAttribute)(driver::FunctionHandle function,
                                 driver::FunctionAttribute attribute,
                                 int value);
  Result (*functionGetAttribute)(int *value,
                                 driver::FunctionAttribute attribute,
                                 driver::FunctionHandle function);
  /// Of CUDA 12.4; null in older drivers.
  Result (*functionGetParameter)(driver::FunctionHandle function, size_t index,
                                 size_t *offset, size_t *sizeBytes);
  Result (*launchKernelEx)(const driver::LaunchConfig *config,
                           driver::FunctionHandle function, void **parameters,
                           void **extra);
  /// launchKernelEx of a kernel that accesses nothing in the allocations of
  /// these tensors but their elements; null where the driver does not check it.
  Result (*launchOnTensors)(const driver::LaunchConfig *config,
                            driver::FunctionHandle function, void **parameters,
                            const driver::TensorPlace *tensors,
                            size_t tensorCount);
  Result (*occupancyMaxActiveClusters)(int *clusters,
                                       driver::FunctionHandle function,
                                       const driver::LaunchConfig *config);
  Result (*tensorMapEncodeTiled)(
      driver::TensorMap *map, driver::TensorMapDataType type, uint32_t rank,
      void *address, const uint64_t *extents, const uint64_t *strideBytes,
      const uint32_t *box, const uint32_t *elementStrides,
      driver::TensorMapInterleave interleave, driver::TensorMapSwizzle swizzle,
      driver::TensorMapL2Promotion promotion,
      driver::TensorMapOutOfBoundsFill fill);

  Result (*memoryAllocate)(driver::DevicePointer *address, size_t sizeBytes);
  Result (*memoryFree)(driver::DevicePointer address);
  Result (*copyHostToDevice)(driver::DevicePointer destination,
                             const void *source, size_t sizeBytes);
  Result (*copyDeviceToHost)(void *destination, driver::DevicePointer source,
                             size_t sizeBytes);
  Result (*copyHostToDeviceAsync)(driver::DevicePointer destination,
                                  const void *source, size_t sizeBytes,
                                  driver::StreamHandle stream);
  Result (*copyDeviceToHostAsync)(void *destination,
                                  driver::DevicePointer source,
                                  size_t sizeBytes,
                                  driver::StreamHandle stream);
  Result (*copyDeviceToDeviceAsync)(driver::DevicePointer destination,
                                    driver::DevicePointer source,
                                    size_t sizeBytes,
                                    driver::StreamHandle stream);
  Result (*setBytes)(driver::DevicePointer destination, unsigned char value,
                     size_t sizeBytes);
  Result (*setBytesAsync)(driver::DevicePointer destination,
                          unsigned char value, size_t sizeBytes,
                          driver::StreamHandle stream);

  Result (*streamCreate)(driver::StreamHandle *stream, unsigned flags);
  Result (*streamDestroy)(driver::StreamHandle stream);
  Result (*streamSynchronize)(driver::StreamHandle stream);
  Result (*streamQuery)(driver::StreamHandle stream);
  Result (*eventCreate)(driver::EventHandle *event, unsigned flags);
  Result (*eventDestroy)(driver::EventHandle event);
  Result (*eventRecord)(driver::EventHandle event, driver::StreamHandle stream);
  Result (*eventQuery)(driver::EventHandle event);
  Result (*eventElapsedTime)(float *milliseconds, driver::EventHandle start,
                             driver::EventHandle end);

  Result (*streamBeginCapture)(driver::StreamHandle stream,
                               driver::StreamCaptureMode mode);
  Result (*streamEndCapture)(driver::StreamHandle stream,
                             driver::GraphHandle *graph);
  Result (*graphInstantiate)(driver::GraphExecHandle *exec,
                             driver::GraphHandle graph,
                             unsigned long long flags);
  Result (*graphLaunch)(driver::GraphExecHandle exec,
                        driver::StreamHandle stream);
  Result (*graphExecDestroy)(driver::GraphExecHandle exec);
  Result (*graphDestroy)(driver::GraphHandle graph);
};

/// The CUDA driver's table. Opens libcuda.so.1 on first use, from any thread;
/// null, with the reason in `whyNot`, when it is absent or too old.
const DriverTable *loadCudaDriver(std::string &whyNot);

/// "CUDA_ERROR_NAME: what it means", as far as the driver says so.
std::string describe(const DriverTable &driver, driver::Result result);

} // namespace ashlar
