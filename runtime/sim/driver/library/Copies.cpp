// cuMemcpy*, cuMemset*.
#include "runtime/sim/driver/State.h"
#include "runtime/sim/driver/library/Export.h"

#include <cstring>

using namespace ashlar::sim;
using namespace ashlar::sim::library;

namespace {

bool isDeviceAddress(DevicePointer address) {
  return state().memory->find(address) != nullptr;
}

/// A copy between addresses of which each tells itself where it leads.
Result copyUnified(DevicePointer to, DevicePointer from, size_t size,
                   StreamHandle stream) {
  const bool toDevice = isDeviceAddress(to), fromDevice = isDeviceAddress(from);
  if (toDevice && fromDevice)
    return calls::copyDeviceToDeviceAsync(to, from, size, stream);
  if (toDevice)
    return calls::copyHostToDeviceAsync(to, hostPointer(from), size, stream);
  if (fromDevice)
    return calls::copyDeviceToHostAsync(hostPointer(to), from, size, stream);
  return calls::perform(stream, [=] {
    std::memmove(hostPointer(to), hostPointer(from), size);
    return Result::success;
  });
}

} // namespace

ASHLAR_CUDA Result cuMemcpy(DevicePointer to, DevicePointer from, size_t size) {
  std::lock_guard lock(state().lock);
  return copyUnified(to, from, size, nullptr);
}
ASHLAR_CUDA_ALIAS(cuMemcpy_ptds, cuMemcpy);
ASHLAR_CUDA Result cuMemcpyAsync(DevicePointer to, DevicePointer from,
                                 size_t size, StreamHandle stream) {
  std::lock_guard lock(state().lock);
  return copyUnified(to, from, size, stream);
}
ASHLAR_CUDA_ALIAS(cuMemcpyAsync_ptsz, cuMemcpyAsync);
ASHLAR_CUDA Result cuMemcpyHtoD_v2(DevicePointer to, const void *from,
                                   size_t size) {
  return calls::copyHostToDevice(to, from, size);
}
ASHLAR_CUDA_ALIAS(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2);
ASHLAR_CUDA Result cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t size) {
  return calls::copyDeviceToHost(to, from, size);
}
ASHLAR_CUDA_ALIAS(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2);
ASHLAR_CUDA Result cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from,
                                   size_t size) {
  return calls::copyDeviceToDeviceAsync(to, from, size, nullptr);
}
ASHLAR_CUDA_ALIAS(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2);
ASHLAR_CUDA Result cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from,
                                        size_t size, StreamHandle stream) {
  return calls::copyHostToDeviceAsync(to, from, size, stream);
}
ASHLAR_CUDA_ALIAS(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2);
ASHLAR_CUDA Result cuMemcpyDtoHAsync_v2(void *to, DevicePointer from,
                                        size_t size, StreamHandle stream) {
  return calls::copyDeviceToHostAsync(to, from, size, stream);
}
ASHLAR_CUDA_ALIAS(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2);
ASHLAR_CUDA Result cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from,
                                        size_t size, StreamHandle stream) {
  return calls::copyDeviceToDeviceAsync(to, from, size, stream);
}
ASHLAR_CUDA_ALIAS(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2);

namespace {

/// One side of CUDA_MEMCPY2D.
struct Side2d {
  size_t xBytes, y;
  int memoryType;
  void *host;
  DevicePointer device;
  void *array;
  size_t pitch;
};
struct Copy2d {
  Side2d source, destination;
  size_t widthBytes, height;
};
static_assert(sizeof(Copy2d) == 128);

/// One side of CUDA_MEMCPY3D.
struct Side3d {
  size_t xBytes, y, z, levelOfDetail;
  int memoryType;
  void *host;
  DevicePointer device;
  void *array;
  void *reserved;
  size_t pitch, height;
};
struct Copy3d {
  Side3d source, destination;
  size_t widthBytes, height, depth;
};
static_assert(sizeof(Copy3d) == 200);

/// Where a side begins; 0 for what is not supported, an array.
DevicePointer beginOf(const Side3d &side) {
  constexpr int host = 1, device = 2, unified = 4;
  const DevicePointer base =
      side.memoryType == host ? reinterpret_cast<uintptr_t>(side.host)
      : side.memoryType == device || side.memoryType == unified ? side.device
                                                                : 0;
  return base
             ? base + side.xBytes + side.pitch * (side.y + side.height * side.z)
             : 0;
}

Result copy3d(const Copy3d &copy, StreamHandle stream) {
  std::lock_guard lock(state().lock);
  const DevicePointer to = beginOf(copy.destination);
  const DevicePointer from = beginOf(copy.source);
  if (!to || !from)
    return refuse(Result::notSupported,
                  "the simulator has no CUDA arrays to copy");
  for (size_t z = 0; z < copy.depth; ++z)
    for (size_t y = 0; y < copy.height; ++y)
      if (Result result = copyUnified(
              to + copy.destination.pitch * (y + copy.destination.height * z),
              from + copy.source.pitch * (y + copy.source.height * z),
              copy.widthBytes, stream);
          result != Result::success)
        return result;
  return Result::success;
}

Side3d widened(const Side2d &side) {
  return {side.xBytes,
          side.y,
          0,
          0,
          side.memoryType,
          side.host,
          side.device,
          nullptr,
          nullptr,
          side.pitch,
          0};
}

} // namespace

ASHLAR_CUDA Result cuMemcpy2DAsync_v2(const Copy2d *copy, StreamHandle stream) {
  if (!copy)
    return Result::invalidValue;
  return copy3d({widened(copy->source), widened(copy->destination),
                 copy->widthBytes, copy->height, 1},
                stream);
}
ASHLAR_CUDA_ALIAS(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2);
ASHLAR_CUDA Result cuMemcpy2D_v2(const Copy2d *copy) {
  return cuMemcpy2DAsync_v2(copy, nullptr);
}
ASHLAR_CUDA_ALIAS(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2);
ASHLAR_CUDA_ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
ASHLAR_CUDA_ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2);
ASHLAR_CUDA Result cuMemcpy3DAsync_v2(const Copy3d *copy, StreamHandle stream) {
  return copy ? copy3d(*copy, stream) : Result::invalidValue;
}
ASHLAR_CUDA_ALIAS(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2);
ASHLAR_CUDA Result cuMemcpy3D_v2(const Copy3d *copy) {
  return cuMemcpy3DAsync_v2(copy, nullptr);
}
ASHLAR_CUDA_ALIAS(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2);

// NAME(address, value, count) and its forms with a pitch and with a stream.
#define ASHLAR_CUDA_SET(bits, type)                                            \
  ASHLAR_CUDA Result cuMemsetD##bits##Async(                                   \
      DevicePointer to, type value, size_t count, StreamHandle stream) {       \
    return calls::setElementsAsync(to, value, sizeof(type), count, 0, 1,       \
                                   stream);                                    \
  }                                                                            \
  ASHLAR_CUDA_ALIAS(cuMemsetD##bits##Async_ptsz, cuMemsetD##bits##Async);      \
  ASHLAR_CUDA Result cuMemsetD##bits##_v2(DevicePointer to, type value,        \
                                          size_t count) {                      \
    return cuMemsetD##bits##Async(to, value, count, nullptr);                  \
  }                                                                            \
  ASHLAR_CUDA_ALIAS(cuMemsetD##bits##_v2_ptds, cuMemsetD##bits##_v2);          \
  ASHLAR_CUDA Result cuMemsetD2D##bits##Async(                                 \
      DevicePointer to, size_t pitch, type value, size_t width, size_t height, \
      StreamHandle stream) {                                                   \
    return calls::setElementsAsync(to, value, sizeof(type), width, pitch,      \
                                   height, stream);                            \
  }                                                                            \
  ASHLAR_CUDA_ALIAS(cuMemsetD2D##bits##Async_ptsz, cuMemsetD2D##bits##Async);  \
  ASHLAR_CUDA Result cuMemsetD2D##bits##_v2(DevicePointer to, size_t pitch,    \
                                            type value, size_t width,          \
                                            size_t height) {                   \
    return cuMemsetD2D##bits##Async(to, pitch, value, width, height, nullptr); \
  }                                                                            \
  ASHLAR_CUDA_ALIAS(cuMemsetD2D##bits##_v2_ptds, cuMemsetD2D##bits##_v2)

ASHLAR_CUDA_SET(8, unsigned char);
ASHLAR_CUDA_SET(16, unsigned short);
ASHLAR_CUDA_SET(32, unsigned int);
