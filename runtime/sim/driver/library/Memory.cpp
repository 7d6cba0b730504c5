// cuMem*: memory of the device and of the host, and its pools.
#include "runtime/sim/driver/State.h"
#include "runtime/sim/driver/library/Export.h"

#include <algorithm>

using namespace ashlar::sim;
using namespace ashlar::sim::library;

// Memory pools hold nothing: memory comes from the host each time.
using PoolHandle = struct PoolObject *;

namespace {

char thePool;
PoolHandle pool() { return reinterpret_cast<PoolHandle>(&thePool); }

} // namespace

ASHLAR_CUDA Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  size_t bytes = 0;
  calls::deviceTotalMemory(&bytes, 0);
  std::lock_guard lock(state().lock);
  size_t used = 0;
  for (const auto &block : state().memory->all())
    used += block->sizeBytes;
  if (free)
    *free = bytes - std::min(used, bytes);
  if (total)
    *total = bytes;
  return Result::success;
}
ASHLAR_CUDA Result cuMemAlloc_v2(DevicePointer *address, size_t size) {
  return calls::memoryAllocate(address, size);
}
ASHLAR_CUDA Result cuMemAllocPitch_v2(DevicePointer *address, size_t *pitch,
                                      size_t width, size_t height,
                                      unsigned elementBytes) {
  constexpr size_t unit = 512;
  if (!pitch || (elementBytes != 4 && elementBytes != 8 && elementBytes != 16))
    return Result::invalidValue;
  *pitch = (width + unit - 1) / unit * unit;
  if (height && *pitch > SIZE_MAX / height)
    return Result::outOfMemory;
  return calls::memoryAllocate(address, *pitch * height);
}
ASHLAR_CUDA Result cuMemFree_v2(DevicePointer address) {
  return calls::memoryFree(address);
}
ASHLAR_CUDA Result cuMemGetAddressRange_v2(DevicePointer *base, size_t *size,
                                           DevicePointer address) {
  return calls::memoryGetRange(base, size, address);
}
ASHLAR_CUDA Result cuMemAllocAsync(DevicePointer *address, size_t size,
                                   StreamHandle) {
  return calls::memoryAllocate(address, size);
}
ASHLAR_CUDA_ALIAS(cuMemAllocAsync_ptsz, cuMemAllocAsync);
ASHLAR_CUDA Result cuMemFreeAsync(DevicePointer address, StreamHandle stream) {
  int capturing = 0;
  if (Result result = calls::streamIsCapturing(stream, &capturing);
      result != Result::success)
    return result;
  if (capturing)
    return refuse(Result::notSupported,
                  "memory can't be freed while the stream is captured");
  return calls::memoryFree(address);
}
ASHLAR_CUDA_ALIAS(cuMemFreeAsync_ptsz, cuMemFreeAsync);

ASHLAR_CUDA Result cuDeviceGetDefaultMemPool(PoolHandle *handle,
                                             DeviceOrdinal) {
  if (!handle)
    return Result::invalidValue;
  *handle = pool();
  return Result::success;
}
ASHLAR_CUDA_ALIAS(cuDeviceGetMemPool, cuDeviceGetDefaultMemPool);
ASHLAR_CUDA Result cuDeviceSetMemPool(DeviceOrdinal, PoolHandle) {
  return Result::success;
}
ASHLAR_CUDA Result cuMemPoolSetAttribute(PoolHandle, int, void *) {
  return Result::success;
}
ASHLAR_CUDA Result cuMemPoolTrimTo(PoolHandle, size_t) {
  return Result::success;
}
ASHLAR_CUDA Result cuMemAllocFromPoolAsync(DevicePointer *address, size_t size,
                                           PoolHandle, StreamHandle) {
  return calls::memoryAllocate(address, size);
}
ASHLAR_CUDA_ALIAS(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync);

ASHLAR_CUDA Result cuMemHostAlloc(void **pointer, size_t size, unsigned) {
  return calls::hostAllocate(pointer, size);
}
ASHLAR_CUDA Result cuMemAllocHost_v2(void **pointer, size_t size) {
  return calls::hostAllocate(pointer, size);
}
ASHLAR_CUDA Result cuMemFreeHost(void *pointer) {
  return calls::hostFree(pointer);
}
ASHLAR_CUDA Result cuMemHostGetDevicePointer_v2(DevicePointer *address,
                                                void *pointer, unsigned) {
  return calls::hostGetDevicePointer(address, pointer);
}
ASHLAR_CUDA Result cuMemHostGetFlags(unsigned *flags, void *pointer) {
  DevicePointer address = 0;
  if (!flags)
    return Result::invalidValue;
  *flags = 2; // mapped
  return calls::hostGetDevicePointer(&address, pointer);
}
