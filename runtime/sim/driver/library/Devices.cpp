// cuInit, cuDevice*, cuCtx* and errors.
#include "runtime/sim/driver/State.h"
#include "runtime/sim/driver/library/Export.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

using namespace ashlar::sim;
using namespace ashlar::sim::library;

ASHLAR_CUDA Result cuInit(unsigned flags) {
  showProgress();
  return calls::init(flags);
}

ASHLAR_CUDA Result cuDriverGetVersion(int *version) {
  if (!version)
    return Result::invalidValue;
  *version = driverVersion;
  return Result::success;
}

ASHLAR_CUDA Result cuGetErrorName(Result error, const char **name) {
  return calls::getErrorName(error, name);
}
ASHLAR_CUDA Result cuGetErrorString(Result error, const char **text) {
  return calls::getErrorString(error, text);
}

ASHLAR_CUDA Result cuDeviceGetCount(int *count) {
  return calls::deviceGetCount(count);
}
ASHLAR_CUDA Result cuDeviceGet(DeviceOrdinal *device, int ordinal) {
  return calls::deviceGet(device, ordinal);
}
ASHLAR_CUDA Result cuDeviceGetName(char *name, int length,
                                   DeviceOrdinal device) {
  return calls::deviceGetName(name, length, device);
}
ASHLAR_CUDA Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                                        DeviceOrdinal device) {
  return calls::deviceGetAttribute(value, attribute, device);
}
ASHLAR_CUDA Result cuDeviceTotalMem_v2(size_t *bytes, DeviceOrdinal device) {
  return calls::deviceTotalMemory(bytes, device);
}

ASHLAR_CUDA Result cuDeviceGetUuid(unsigned char *uuid, DeviceOrdinal device) {
  if (!uuid)
    return Result::invalidValue;
  constexpr std::string_view bytes = "Ashlar simulator";
  static_assert(bytes.size() == 16);
  std::memcpy(uuid, bytes.data(), bytes.size());
  return device == 0 ? Result::success : Result::invalidDevice;
}
ASHLAR_CUDA_ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);

ASHLAR_CUDA Result cuDeviceComputeCapability(int *major, int *minor,
                                             DeviceOrdinal device) {
  if (!major || !minor)
    return Result::invalidValue;
  *major = 9;
  *minor = 0;
  return device == 0 ? Result::success : Result::invalidDevice;
}

ASHLAR_CUDA Result cuDeviceGetPCIBusId(char *text, int length,
                                       DeviceOrdinal device) {
  if (!text || length < 13)
    return Result::invalidValue;
  std::snprintf(text, static_cast<size_t>(length), "0000:00:00.0");
  return device == 0 ? Result::success : Result::invalidDevice;
}

ASHLAR_CUDA Result cuDeviceGetByPCIBusId(DeviceOrdinal *device,
                                         const char *text) {
  if (!device || !text)
    return Result::invalidValue;
  *device = 0;
  return std::strcmp(text, "0000:00:00.0") == 0 ? Result::success
                                                : Result::invalidDevice;
}

ASHLAR_CUDA Result cuDeviceCanAccessPeer(int *can, DeviceOrdinal,
                                         DeviceOrdinal) {
  if (!can)
    return Result::invalidValue;
  *can = 0;
  return Result::success;
}

// --- contexts: there is one, the primary
// ---------------------------------------

ASHLAR_CUDA Result cuDevicePrimaryCtxRetain(ContextHandle *context,
                                            DeviceOrdinal device) {
  return calls::primaryContextRetain(context, device);
}
ASHLAR_CUDA Result cuDevicePrimaryCtxRelease_v2(DeviceOrdinal device) {
  return calls::primaryContextRelease(device);
}
ASHLAR_CUDA_ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2);

ASHLAR_CUDA Result cuDevicePrimaryCtxReset_v2(DeviceOrdinal device) {
  if (device != 0)
    return Result::invalidDevice;
  resetSimulator();
  return Result::success;
}
ASHLAR_CUDA_ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2);

ASHLAR_CUDA Result cuDevicePrimaryCtxGetState(DeviceOrdinal device,
                                              unsigned *flags, int *active) {
  if (device != 0)
    return Result::invalidDevice;
  std::lock_guard lock(state().lock);
  if (flags)
    *flags = 0;
  if (active)
    *active = state().primaryContextUsers > 0;
  return Result::success;
}
ASHLAR_CUDA Result cuDevicePrimaryCtxSetFlags_v2(DeviceOrdinal, unsigned) {
  return Result::success;
}
ASHLAR_CUDA_ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2);

ASHLAR_CUDA Result cuCtxCreate_v2(ContextHandle *context, unsigned,
                                  DeviceOrdinal device) {
  if (Result result = calls::primaryContextRetain(context, device);
      result != Result::success)
    return result;
  return calls::contextPush(*context);
}
ASHLAR_CUDA Result cuCtxCreate_v3(ContextHandle *context, void *, int,
                                  unsigned flags, DeviceOrdinal device) {
  return cuCtxCreate_v2(context, flags, device);
}
ASHLAR_CUDA Result cuCtxCreate_v4(ContextHandle *context, void *,
                                  unsigned flags, DeviceOrdinal device) {
  return cuCtxCreate_v2(context, flags, device);
}

ASHLAR_CUDA Result cuCtxDestroy_v2(ContextHandle context) {
  ContextHandle current = nullptr;
  calls::contextGetCurrent(&current);
  if (!context)
    return invalidContext;
  if (current == context)
    calls::contextPop(nullptr);
  return calls::primaryContextRelease(0);
}
ASHLAR_CUDA_ALIAS(cuCtxDestroy, cuCtxDestroy_v2);

ASHLAR_CUDA Result cuCtxPushCurrent_v2(ContextHandle context) {
  return calls::contextPush(context);
}
ASHLAR_CUDA_ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2);
ASHLAR_CUDA Result cuCtxPopCurrent_v2(ContextHandle *context) {
  return calls::contextPop(context);
}
ASHLAR_CUDA_ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2);
ASHLAR_CUDA Result cuCtxSetCurrent(ContextHandle context) {
  return calls::contextSetCurrent(context);
}
ASHLAR_CUDA Result cuCtxGetCurrent(ContextHandle *context) {
  return calls::contextGetCurrent(context);
}
ASHLAR_CUDA Result cuCtxSynchronize() { return calls::contextSynchronize(); }
ASHLAR_CUDA Result cuCtxSynchronize_v2(ContextHandle) {
  return calls::contextSynchronize();
}

ASHLAR_CUDA Result cuCtxGetDevice(DeviceOrdinal *device) {
  ContextHandle context = nullptr;
  calls::contextGetCurrent(&context);
  if (!device)
    return Result::invalidValue;
  *device = 0;
  return context ? Result::success : invalidContext;
}
ASHLAR_CUDA Result cuCtxGetDevice_v2(DeviceOrdinal *device, ContextHandle) {
  if (!device)
    return Result::invalidValue;
  *device = 0;
  return Result::success;
}
ASHLAR_CUDA Result cuCtxGetFlags(unsigned *flags) {
  if (!flags)
    return Result::invalidValue;
  *flags = 0;
  return Result::success;
}
ASHLAR_CUDA Result cuCtxSetFlags(unsigned) { return Result::success; }
ASHLAR_CUDA Result cuCtxGetId(ContextHandle, unsigned long long *id) {
  if (!id)
    return Result::invalidValue;
  *id = 1;
  return Result::success;
}
ASHLAR_CUDA Result cuCtxGetApiVersion(ContextHandle, unsigned *version) {
  if (!version)
    return Result::invalidValue;
  *version = 3020;
  return Result::success;
}
ASHLAR_CUDA Result cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return Result::success;
}

// Limits concern the device's heap, stack and queues, which have none here.
ASHLAR_CUDA Result cuCtxSetLimit(int, size_t) { return Result::success; }
ASHLAR_CUDA Result cuCtxGetLimit(size_t *value, int limit) {
  if (!value || limit < 0 || limit > 6)
    return Result::invalidValue;
  constexpr size_t values[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
  *value = values[limit];
  return Result::success;
}
ASHLAR_CUDA Result cuCtxGetCacheConfig(int *config) {
  if (!config)
    return Result::invalidValue;
  *config = 0;
  return Result::success;
}
ASHLAR_CUDA Result cuCtxSetCacheConfig(int) { return Result::success; }
ASHLAR_CUDA Result cuCtxResetPersistingL2Cache() { return Result::success; }
ASHLAR_CUDA Result cuProfilerStart() { return Result::success; }
ASHLAR_CUDA Result cuProfilerStop() { return Result::success; }
