// cudaMalloc*, cudaFree*, cudaHost*, cudaMemset*, cudaPointer*, pools.
#include "runtime/sim/cudart/Export.h"

using namespace ashlar::sim::cudart;

namespace {

/// `allocate` gives a Result and an address. Of no bytes there is nothing.
template <class Allocate>
Error give(void **pointer, size_t size, Allocate allocate) {
  return call([&] {
    if (!pointer)
      return Result::invalidValue;
    DevicePointer address = 0;
    const Result result = size ? allocate(&address) : Result::success;
    if (result == Result::success)
      *pointer = hostPointer(address);
    return result;
  });
}

} // namespace

ASHLAR_CUDART Error cudaMalloc(void **pointer, size_t size) {
  return give(pointer, size, [=](DevicePointer *address) {
    return cuMemAlloc_v2(address, size);
  });
}
ASHLAR_CUDART Error cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                                    size_t height) {
  return give(pointer, width * height, [=](DevicePointer *address) {
    constexpr unsigned elementBytes = 16;
    return cuMemAllocPitch_v2(address, pitch, width, height, elementBytes);
  });
}
ASHLAR_CUDART Error cudaFree(void *pointer) {
  return call([=] { return cuMemFree_v2(deviceAddress(pointer)); });
}
ASHLAR_CUDART Error cudaMallocAsync(void **pointer, size_t size,
                                    StreamHandle stream) {
  return give(pointer, size, [=](DevicePointer *address) {
    return cuMemAllocAsync(address, size, stream);
  });
}
ASHLAR_CUDART_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);
ASHLAR_CUDART Error cudaMallocFromPoolAsync(void **pointer, size_t size,
                                            PoolHandle, StreamHandle stream) {
  return cudaMallocAsync(pointer, size, stream);
}
ASHLAR_CUDART_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);
ASHLAR_CUDART Error cudaFreeAsync(void *pointer, StreamHandle stream) {
  return call([=] { return cuMemFreeAsync(deviceAddress(pointer), stream); });
}
ASHLAR_CUDART_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);
ASHLAR_CUDART Error cudaMemGetInfo(size_t *free, size_t *total) {
  return call([=] { return cuMemGetInfo_v2(free, total); });
}

ASHLAR_CUDART Error cudaDeviceGetDefaultMemPool(PoolHandle *pool, int device) {
  return call([=] { return cuDeviceGetDefaultMemPool(pool, device); });
}
ASHLAR_CUDART_ALIAS(cudaDeviceGetMemPool, cudaDeviceGetDefaultMemPool);
ASHLAR_CUDART Error cudaDeviceSetMemPool(int device, PoolHandle pool) {
  return call([=] { return cuDeviceSetMemPool(device, pool); });
}
ASHLAR_CUDART Error cudaMemPoolSetAttribute(PoolHandle pool, int attribute,
                                            void *value) {
  return call([=] { return cuMemPoolSetAttribute(pool, attribute, value); });
}
ASHLAR_CUDART Error cudaMemPoolTrimTo(PoolHandle pool, size_t bytes) {
  return call([=] { return cuMemPoolTrimTo(pool, bytes); });
}

// --- memory of the host ------------------------------------------------------

ASHLAR_CUDART Error cudaHostAlloc(void **pointer, size_t size, unsigned flags) {
  return call([=] {
    if (!pointer)
      return Result::invalidValue;
    *pointer = nullptr;
    return size ? cuMemHostAlloc(pointer, size, flags) : Result::success;
  });
}
ASHLAR_CUDART Error cudaMallocHost(void **pointer, size_t size) {
  return cudaHostAlloc(pointer, size, 0);
}
ASHLAR_CUDART Error cudaFreeHost(void *pointer) {
  return call(
      [=] { return pointer ? cuMemFreeHost(pointer) : Result::success; });
}
ASHLAR_CUDART Error cudaHostGetDevicePointer(void **device, void *host,
                                             unsigned flags) {
  return give(device, 1, [=](DevicePointer *address) {
    return cuMemHostGetDevicePointer_v2(address, host, flags);
  });
}
ASHLAR_CUDART Error cudaHostGetFlags(unsigned *flags, void *host) {
  return call([=] { return cuMemHostGetFlags(flags, host); });
}

namespace {

/// cudaChannelFormatDesc.
struct ChannelDescription {
  int x, y, z, w, kind;
};

} // namespace

// Programs describe textures before they learn that there are none.
ASHLAR_CUDART ChannelDescription cudaCreateChannelDesc(int x, int y, int z,
                                                       int w, int kind) {
  return {x, y, z, w, kind};
}

namespace {

/// cudaPointerAttributes.
struct PointerAttributes {
  int type; // cudaMemoryType: 0 is memory that the driver does not know
  int device;
  void *devicePointer, *hostPointer;
#if ASHLAR_CUDART_MAJOR >= 13
  long reserved[8];
#endif
};

} // namespace

ASHLAR_CUDART Error cudaPointerGetAttributes(PointerAttributes *all,
                                             const void *pointer) {
  return call([=] {
    if (!all)
      return Result::invalidValue;
    // CUpointer_attribute
    constexpr int memoryType = 2, devicePointer = 3, hostPointer = 4;
    const DevicePointer address = deviceAddress(pointer);
    constexpr int noDevice = -2;
    *all = {};
    all->device = noDevice;
    if (cuPointerGetAttribute(&all->type, memoryType, address) !=
        Result::success) {
      all->hostPointer = const_cast<void *>(pointer);
      return Result::success;
    }
    all->device = 0;
    cuPointerGetAttribute(&all->hostPointer, hostPointer, address);
    return cuPointerGetAttribute(&all->devicePointer, devicePointer, address);
  });
}

// --- fills -------------------------------------------------------------------

ASHLAR_CUDART Error cudaMemset2DAsync(void *to, size_t pitch, int value,
                                      size_t width, size_t height,
                                      StreamHandle stream) {
  return call([=] {
    return cuMemsetD2D8Async(deviceAddress(to), pitch,
                             static_cast<unsigned char>(value), width, height,
                             stream);
  });
}
ASHLAR_CUDART_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);
ASHLAR_CUDART Error cudaMemset2D(void *to, size_t pitch, int value,
                                 size_t width, size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
ASHLAR_CUDART_ALIAS(cudaMemset2D_ptds, cudaMemset2D);
ASHLAR_CUDART Error cudaMemsetAsync(void *to, int value, size_t size,
                                    StreamHandle stream) {
  return cudaMemset2DAsync(to, size, value, size, 1, stream);
}
ASHLAR_CUDART_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);
ASHLAR_CUDART Error cudaMemset(void *to, int value, size_t size) {
  return cudaMemsetAsync(to, value, size, nullptr);
}
ASHLAR_CUDART_ALIAS(cudaMemset_ptds, cudaMemset);
