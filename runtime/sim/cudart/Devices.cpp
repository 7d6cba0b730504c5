// cudaDevice*, cudaSetDevice: there is device 0.
#include "runtime/sim/cudart/Export.h"
#include "runtime/sim/cudart/Registration.h"

using namespace ashlar::sim::cudart;

namespace {

Error checkDevice(int device) {
  return call([=] {
    int value = 0; // the driver says what is wrong with another ordinal
    return cuDeviceGetAttribute(
        &value, ashlar::driver::DeviceAttribute::multiprocessorCount, device);
  });
}

/// A call that gives a number.
template <class Value> Error give(Value *pointer, Value value) {
  return call([=] {
    if (pointer)
      *pointer = value;
    return pointer ? Result::success : Result::invalidValue;
  });
}

/// What steers caches and queues, which the simulator does not imitate.
Error accept() {
  return call([] { return Result::success; });
}

} // namespace

ASHLAR_CUDART Error cudaGetDeviceCount(int *count) {
  return call([=] { return cuDeviceGetCount(count); });
}
ASHLAR_CUDART Error cudaGetDevice(int *device) { return give(device, 0); }
ASHLAR_CUDART Error cudaSetDevice(int device) { return checkDevice(device); }
ASHLAR_CUDART Error cudaInitDevice(int device, unsigned, unsigned) {
  return checkDevice(device);
}
ASHLAR_CUDART Error cudaSetValidDevices(int *, int) { return accept(); }
ASHLAR_CUDART Error cudaChooseDevice(int *device, const void *) {
  return give(device, 0);
}
ASHLAR_CUDART Error cudaSetDeviceFlags(unsigned) { return accept(); }
ASHLAR_CUDART Error cudaGetDeviceFlags(unsigned *flags) {
  return give(flags, 0u);
}
ASHLAR_CUDART Error cudaDeviceGetAttribute(
    int *value, ashlar::driver::DeviceAttribute attribute, int device) {
  return call([=] { return cuDeviceGetAttribute(value, attribute, device); });
}
ASHLAR_CUDART Error cudaDeviceSynchronize() {
  return call([] { return cuCtxSynchronize(); });
}
ASHLAR_CUDART Error cudaDeviceReset() {
  return call([] {
    forgetModules();
    if (Result result = cuDevicePrimaryCtxReset_v2(0);
        result != Result::success)
      return result;
    ContextHandle context = nullptr;
    cuInit(0);
    return cuDevicePrimaryCtxRetain(&context, 0);
  });
}

ASHLAR_CUDART Error cudaDeviceGetPCIBusId(char *text, int length, int device) {
  return call([=] { return cuDeviceGetPCIBusId(text, length, device); });
}
ASHLAR_CUDART Error cudaDeviceGetByPCIBusId(int *device, const char *text) {
  return call([=] { return cuDeviceGetByPCIBusId(device, text); });
}
ASHLAR_CUDART Error cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  return call([=] { return cuDeviceCanAccessPeer(can, device, peer); });
}
ASHLAR_CUDART Error cudaDeviceGetStreamPriorityRange(int *least,
                                                     int *greatest) {
  return call([=] { return cuCtxGetStreamPriorityRange(least, greatest); });
}
ASHLAR_CUDART Error cudaDeviceSetLimit(int limit, size_t value) {
  return call([=] { return cuCtxSetLimit(limit, value); });
}
ASHLAR_CUDART Error cudaDeviceGetLimit(size_t *value, int limit) {
  return call([=] { return cuCtxGetLimit(value, limit); });
}
ASHLAR_CUDART Error cudaDeviceGetCacheConfig(int *config) {
  return give(config, 0);
}
ASHLAR_CUDART Error cudaDeviceSetCacheConfig(int) { return accept(); }
ASHLAR_CUDART Error cudaDeviceGetSharedMemConfig(int *config) {
  constexpr int fourByteBanks = 1;
  return give(config, fourByteBanks);
}
ASHLAR_CUDART Error cudaDeviceSetSharedMemConfig(int) { return accept(); }
ASHLAR_CUDART Error cudaCtxResetPersistingL2Cache() { return accept(); }

#if ASHLAR_CUDART_MAJOR < 13
ASHLAR_CUDART_ALIAS(cudaThreadSynchronize, cudaDeviceSynchronize);
ASHLAR_CUDART_ALIAS(cudaThreadExit, cudaDeviceReset);
ASHLAR_CUDART_ALIAS(cudaThreadSetLimit, cudaDeviceSetLimit);
ASHLAR_CUDART_ALIAS(cudaThreadGetLimit, cudaDeviceGetLimit);
ASHLAR_CUDART_ALIAS(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig);
ASHLAR_CUDART_ALIAS(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig);
#endif
