// The functions of the driver's library, libcuda.so.1, that the runtime calls.
#pragma once

#include "runtime/DriverTypes.h"

namespace ashlar::sim::cudart {

using namespace ashlar::driver;

using PoolHandle = struct PoolObject *;

/// CUDA_MEMCPY3D between plain addresses.
struct Copy3d {
  struct Side {
    size_t xBytes, y, z, levelOfDetail;
    int memoryType;
    const void *host;
    DevicePointer device;
    void *array, *reserved;
    size_t pitch, height;
  } source, destination;
  size_t widthBytes, height, depth;
};
static_assert(sizeof(Copy3d) == 200);

extern "C" {
Result cuInit(unsigned flags);
Result cuDriverGetVersion(int *version);
Result cuGetErrorString(Result error, const char **text);
Result cuGetProcAddress_v2(const char *symbol, void **function, int version,
                           uint64_t flags, int *status);

Result cuDeviceGetCount(int *count);
Result cuDeviceGetName(char *name, int length, DeviceOrdinal device);
Result cuDeviceGetUuid_v2(unsigned char *uuid, DeviceOrdinal device);
Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                            DeviceOrdinal device);
Result cuDeviceTotalMem_v2(size_t *bytes, DeviceOrdinal device);
Result cuDeviceGetPCIBusId(char *text, int length, DeviceOrdinal device);
Result cuDeviceGetByPCIBusId(DeviceOrdinal *device, const char *text);
Result cuDeviceCanAccessPeer(int *can, DeviceOrdinal device,
                             DeviceOrdinal peer);
Result cuDeviceGetDefaultMemPool(PoolHandle *pool, DeviceOrdinal device);
Result cuDeviceSetMemPool(DeviceOrdinal device, PoolHandle pool);
Result cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceOrdinal device);
Result cuDevicePrimaryCtxReset_v2(DeviceOrdinal device);
Result cuCtxSetCurrent(ContextHandle context);
Result cuCtxGetCurrent(ContextHandle *context);
Result cuCtxSynchronize();
Result cuCtxSetLimit(int limit, size_t value);
Result cuCtxGetLimit(size_t *value, int limit);
Result cuCtxGetStreamPriorityRange(int *least, int *greatest);

Result cuModuleUnload(ModuleHandle module);
Result cuModuleGetFunction(FunctionHandle *function, ModuleHandle module,
                           const char *name);
Result cuModuleGetGlobal_v2(DevicePointer *address, size_t *bytes,
                            ModuleHandle module, const char *name);
Result cuModuleGetFunctionCount(unsigned *count, ModuleHandle module);
Result cuModuleEnumerateFunctions(FunctionHandle *functions, unsigned count,
                                  ModuleHandle module);
Result cuModuleLoad(ModuleHandle *module, const char *path);
Result cuModuleLoadDataEx(ModuleHandle *module, const void *image,
                          unsigned count, JitOption *options, void **values);
Result cuFuncGetAttribute(int *value, FunctionAttribute attribute,
                          FunctionHandle function);
Result cuFuncSetAttribute(FunctionHandle function, FunctionAttribute attribute,
                          int value);
Result cuFuncGetName(const char **name, FunctionHandle function);
Result cuFuncGetParamInfo(FunctionHandle function, size_t index, size_t *offset,
                          size_t *bytes);

Result cuLaunchKernelEx(const LaunchConfig *config, FunctionHandle function,
                        void **parameters, void **extra);
Result cuLaunchHostFunc(StreamHandle stream, void (*function)(void *),
                        void *data);
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                   FunctionHandle function,
                                                   int threads,
                                                   size_t dynamicBytes);
Result cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                               FunctionHandle function,
                                               int blocks, int threads);
Result cuOccupancyMaxActiveClusters(int *clusters, FunctionHandle function,
                                    const LaunchConfig *config);
Result cuOccupancyMaxPotentialClusterSize(int *size, FunctionHandle function,
                                          const LaunchConfig *config);

Result cuMemGetInfo_v2(size_t *free, size_t *total);
Result cuMemAlloc_v2(DevicePointer *address, size_t size);
Result cuMemAllocPitch_v2(DevicePointer *address, size_t *pitch, size_t width,
                          size_t height, unsigned elementBytes);
Result cuMemAllocAsync(DevicePointer *address, size_t size,
                       StreamHandle stream);
Result cuMemFree_v2(DevicePointer address);
Result cuMemFreeAsync(DevicePointer address, StreamHandle stream);
Result cuMemPoolSetAttribute(PoolHandle pool, int attribute, void *value);
Result cuMemPoolTrimTo(PoolHandle pool, size_t bytes);
Result cuMemGetAddressRange_v2(DevicePointer *base, size_t *size,
                               DevicePointer address);
Result cuMemHostAlloc(void **pointer, size_t size, unsigned flags);
Result cuMemFreeHost(void *pointer);
Result cuMemHostGetDevicePointer_v2(DevicePointer *address, void *pointer,
                                    unsigned flags);
Result cuMemHostGetFlags(unsigned *flags, void *pointer);
Result cuPointerGetAttribute(void *data, int attribute, DevicePointer pointer);
Result cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t size,
                     StreamHandle stream);
Result cuMemcpy3DAsync_v2(const Copy3d *copy, StreamHandle stream);
Result cuMemsetD2D8Async(DevicePointer to, size_t pitch, unsigned char value,
                         size_t width, size_t height, StreamHandle stream);

Result cuStreamCreateWithPriority(StreamHandle *stream, unsigned flags,
                                  int priority);
Result cuStreamDestroy_v2(StreamHandle stream);
Result cuStreamSynchronize(StreamHandle stream);
Result cuStreamQuery(StreamHandle stream);
Result cuStreamWaitEvent(StreamHandle stream, EventHandle event,
                         unsigned flags);
Result cuStreamGetFlags(StreamHandle stream, unsigned *flags);
Result cuStreamGetPriority(StreamHandle stream, int *priority);
Result cuStreamGetId(StreamHandle stream, unsigned long long *id);
Result cuStreamGetDevice(StreamHandle stream, DeviceOrdinal *device);
Result cuStreamAddCallback(StreamHandle stream,
                           void (*callback)(StreamHandle, Result, void *),
                           void *data, unsigned flags);
Result cuEventCreate(EventHandle *event, unsigned flags);
Result cuEventDestroy_v2(EventHandle event);
Result cuEventRecord(EventHandle event, StreamHandle stream);
Result cuEventQuery(EventHandle event);
Result cuEventSynchronize(EventHandle event);
Result cuEventElapsedTime_v2(float *milliseconds, EventHandle start,
                             EventHandle end);

Result cuStreamBeginCapture_v2(StreamHandle stream, StreamCaptureMode mode);
Result cuStreamEndCapture(StreamHandle stream, GraphHandle *graph);
Result cuStreamIsCapturing(StreamHandle stream, int *status);
Result cuThreadExchangeStreamCaptureMode(StreamCaptureMode *mode);
Result cuGraphInstantiateWithFlags(GraphExecHandle *exec, GraphHandle graph,
                                   unsigned long long flags);
Result cuGraphLaunch(GraphExecHandle exec, StreamHandle stream);
Result cuGraphUpload(GraphExecHandle exec, StreamHandle stream);
Result cuGraphExecDestroy(GraphExecHandle exec);
Result cuGraphDestroy(GraphHandle graph);
}

inline void *hostPointer(DevicePointer address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}
inline DevicePointer deviceAddress(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

} // namespace ashlar::sim::cudart
