// The driver's entry points, which mean what the CUDA driver API's of the same
// name mean. runtime/Driver.h's table holds the first of them; the library that
// takes the place of libcuda.so.1 exports all of them.
#pragma once

#include "runtime/DriverTypes.h"

#include <functional>
#include <string>

namespace ashlar::sim::calls {

using namespace ashlar::driver;

// --- results and devices -----------------------------------------------------
Result init(unsigned flags);
Result getErrorName(Result error, const char **name);
Result getErrorString(Result error, const char **text);
Result deviceGetCount(int *count);
Result deviceGet(DeviceOrdinal *device, int ordinal);
Result deviceGetName(char *name, int length, DeviceOrdinal device);
Result deviceGetAttribute(int *value, DeviceAttribute attribute,
                          DeviceOrdinal device);
Result deviceTotalMemory(size_t *bytes, DeviceOrdinal device);
Result primaryContextRetain(ContextHandle *context, DeviceOrdinal device);
Result primaryContextRelease(DeviceOrdinal device);
Result contextSetCurrent(ContextHandle context);
Result contextGetCurrent(ContextHandle *context);
Result contextPush(ContextHandle context);
Result contextPop(ContextHandle *context);
Result contextSynchronize();

// --- modules and functions ---------------------------------------------------
Result moduleLoadDataEx(ModuleHandle *module, const void *image,
                        unsigned optionCount, JitOption *options,
                        void **optionValues);
Result moduleLoadFile(ModuleHandle *module, const char *path);
/// PTX text that has a name, for messages.
Result moduleLoadText(ModuleHandle *module, const std::string &text,
                      const std::string &name);
Result moduleUnload(ModuleHandle module);
Result moduleGetFunction(FunctionHandle *function, ModuleHandle module,
                         const char *name);
Result moduleGetGlobal(DevicePointer *address, size_t *sizeBytes,
                       ModuleHandle module, const char *name);
Result functionSetAttribute(FunctionHandle function,
                            FunctionAttribute attribute, int value);
Result functionGetAttribute(int *value, FunctionAttribute attribute,
                            FunctionHandle function);
Result functionGetName(const char **name, FunctionHandle function);
Result functionGetModule(ModuleHandle *module, FunctionHandle function);
Result functionGetParameter(FunctionHandle function, size_t index,
                            size_t *offset, size_t *sizeBytes);

// --- launches ----------------------------------------------------------------
Result launchKernelEx(const LaunchConfig *config, FunctionHandle function,
                      void **parameters, void **extra);
Result launchOnTensors(const LaunchConfig *config, FunctionHandle function,
                       void **parameters, const TensorPlace *tensors,
                       size_t tensorCount);
Result occupancyMaxActiveClusters(int *clusters, FunctionHandle function,
                                  const LaunchConfig *config);
Result occupancyMaxClusterSize(int *size, FunctionHandle function,
                               const LaunchConfig *config);
Result occupancyMaxActiveBlocks(int *blocks, FunctionHandle function,
                                int threads, size_t dynamicSharedBytes);
Result tensorMapEncodeTiled(
    TensorMap *map, TensorMapDataType type, uint32_t rank, void *address,
    const uint64_t *extents, const uint64_t *strideBytes, const uint32_t *box,
    const uint32_t *elementStrides, TensorMapInterleave interleave,
    TensorMapSwizzle swizzle, TensorMapL2Promotion promotion,
    TensorMapOutOfBoundsFill fill);

// --- memory ------------------------------------------------------------------
Result memoryAllocate(DevicePointer *address, size_t sizeBytes);
Result memoryFree(DevicePointer address);
Result memoryGetRange(DevicePointer *base, size_t *sizeBytes,
                      DevicePointer address);
Result hostAllocate(void **pointer, size_t sizeBytes);
Result hostFree(void *pointer);
Result hostGetDevicePointer(DevicePointer *address, void *pointer);
Result copyHostToDevice(DevicePointer destination, const void *source,
                        size_t sizeBytes);
Result copyDeviceToHost(void *destination, DevicePointer source,
                        size_t sizeBytes);
Result copyHostToDeviceAsync(DevicePointer destination, const void *source,
                             size_t sizeBytes, StreamHandle stream);
Result copyDeviceToHostAsync(void *destination, DevicePointer source,
                             size_t sizeBytes, StreamHandle stream);
Result copyDeviceToDeviceAsync(DevicePointer destination, DevicePointer source,
                               size_t sizeBytes, StreamHandle stream);
Result setBytes(DevicePointer destination, unsigned char value,
                size_t sizeBytes);
Result setBytesAsync(DevicePointer destination, unsigned char value,
                     size_t sizeBytes, StreamHandle stream);
/// `count` elements of `elementBytes` (1, 2 or 4), `pitchBytes` from one of the
/// `rows` to the next.
Result setElementsAsync(DevicePointer destination, uint32_t value,
                        unsigned elementBytes, size_t count, size_t pitchBytes,
                        size_t rows, StreamHandle stream);

// --- streams and events
// --------------------------------------------------------
Result streamCreate(StreamHandle *stream, unsigned flags);
Result streamDestroy(StreamHandle stream);
Result streamSynchronize(StreamHandle stream);
Result streamQuery(StreamHandle stream);
Result streamWaitEvent(StreamHandle stream, EventHandle event, unsigned flags);
Result eventCreate(EventHandle *event, unsigned flags);
Result eventDestroy(EventHandle event);
Result eventRecord(EventHandle event, StreamHandle stream);
Result eventQuery(EventHandle event);
Result eventSynchronize(EventHandle event);
Result eventElapsedTime(float *milliseconds, EventHandle start,
                        EventHandle end);

// --- graphs ------------------------------------------------------------------
Result streamBeginCapture(StreamHandle stream, StreamCaptureMode mode);
Result streamEndCapture(StreamHandle stream, GraphHandle *graph);
/// 0 when it is not captured, 1 when it is.
Result streamIsCapturing(StreamHandle stream, int *status);
Result graphInstantiate(GraphExecHandle *exec, GraphHandle graph,
                        unsigned long long flags);
Result graphLaunch(GraphExecHandle exec, StreamHandle stream);
Result graphExecDestroy(GraphExecHandle exec);
Result graphDestroy(GraphHandle graph);

/// Does the work at once, or keeps it where the stream is captured.
Result perform(StreamHandle stream, std::function<Result()> work);

} // namespace ashlar::sim::calls
