// cudaMemcpy*. What a program gives as the kind must be so: a GPU's driver may
// do anything then.
#include "runtime/sim/cudart/Copies.h"

#include "runtime/sim/cudart/Export.h"

#include <cstdio>

namespace ashlar::sim::cudart {
namespace {

bool isDeviceMemory(const void *pointer) {
  return cuMemGetAddressRange_v2(nullptr, nullptr, deviceAddress(pointer)) ==
         Result::success;
}

Error checkSide(const char *side, const void *pointer, bool shouldBeDevice) {
  if (isDeviceMemory(pointer) == shouldBeDevice)
    return Error::success;
  char text[120];
  std::snprintf(text, sizeof(text),
                shouldBeDevice
                    ? "the %s of the copy, %p, is in no device allocation"
                    : "the %s of the copy, %p, is device memory, and the "
                      "copy's kind says that it is the host's",
                side, pointer);
  return refuse(Error::invalidValue, text);
}

constexpr int unifiedMemory = 4; // CUmemorytype

Copy3d::Side sideOf(const void *pointer, size_t pitch) {
  Copy3d::Side result = {};
  result.memoryType = unifiedMemory;
  result.device = deviceAddress(pointer);
  result.pitch = pitch;
  return result;
}

} // namespace

Error checkDirection(const void *to, const void *from, CopyKind kind) {
  if (kind < CopyKind::hostToHost || kind > CopyKind::byAddress)
    return refuse(Error::invalidMemcpyDirection,
                  std::to_string(static_cast<int>(kind)) +
                      " is no cudaMemcpyKind");
  if (kind == CopyKind::byAddress)
    return Error::success;
  const bool toDevice =
      kind == CopyKind::hostToDevice || kind == CopyKind::deviceToDevice;
  const bool fromDevice =
      kind == CopyKind::deviceToHost || kind == CopyKind::deviceToDevice;
  if (Error error = checkSide("destination", to, toDevice);
      error != Error::success)
    return error;
  return checkSide("source", from, fromDevice);
}

Error copy(void *to, const void *from, size_t size, CopyKind kind,
           StreamHandle stream) {
  return call([=] {
    if (size == 0)
      return Error::success;
    if (Error error = checkDirection(to, from, kind); error != Error::success)
      return error;
    return record(
        cuMemcpyAsync(deviceAddress(to), deviceAddress(from), size, stream));
  });
}

Error copy(const PitchedCopy &copy, CopyKind kind, StreamHandle stream) {
  return call([&] {
    if (copy.widthBytes == 0 || copy.height == 0)
      return Error::success;
    constexpr auto invalidPitch = static_cast<Error>(12);
    if (copy.toPitch < copy.widthBytes || copy.fromPitch < copy.widthBytes)
      return refuse(invalidPitch, "rows of " + std::to_string(copy.widthBytes) +
                                      " bytes do not fit the pitch");
    if (Error error = checkDirection(copy.to, copy.from, kind);
        error != Error::success)
      return error;
    const Copy3d rows = {sideOf(copy.from, copy.fromPitch),
                         sideOf(copy.to, copy.toPitch), copy.widthBytes,
                         copy.height, 1};
    return record(cuMemcpy3DAsync_v2(&rows, stream));
  });
}

} // namespace ashlar::sim::cudart

using namespace ashlar::sim::cudart;

ASHLAR_CUDART Error cudaMemcpy(void *to, const void *from, size_t size,
                               CopyKind kind) {
  return copy(to, from, size, kind, nullptr);
}
ASHLAR_CUDART_ALIAS(cudaMemcpy_ptds, cudaMemcpy);
ASHLAR_CUDART Error cudaMemcpyAsync(void *to, const void *from, size_t size,
                                    CopyKind kind, StreamHandle stream) {
  return copy(to, from, size, kind, stream);
}
ASHLAR_CUDART_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);

ASHLAR_CUDART Error cudaMemcpyPeerAsync(void *to, int, const void *from, int,
                                        size_t size, StreamHandle stream) {
  return copy(to, from, size, CopyKind::deviceToDevice, stream);
}
ASHLAR_CUDART Error cudaMemcpyPeer(void *to, int, const void *from, int,
                                   size_t size) {
  return copy(to, from, size, CopyKind::deviceToDevice, nullptr);
}

ASHLAR_CUDART Error cudaMemcpy2DAsync(void *to, size_t toPitch,
                                      const void *from, size_t fromPitch,
                                      size_t width, size_t height,
                                      CopyKind kind, StreamHandle stream) {
  return copy({to, toPitch, from, fromPitch, width, height}, kind, stream);
}
ASHLAR_CUDART_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);
ASHLAR_CUDART Error cudaMemcpy2D(void *to, size_t toPitch, const void *from,
                                 size_t fromPitch, size_t width, size_t height,
                                 CopyKind kind) {
  return copy({to, toPitch, from, fromPitch, width, height}, kind, nullptr);
}
ASHLAR_CUDART_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);

namespace {

/// cudaMemcpy3DParms, of which arrays are refused.
struct Position {
  size_t x, y, z;
};
struct PitchedPointer {
  void *pointer;
  size_t pitch, widthBytes, height;
};
struct Copy3dParameters {
  void *fromArray;
  Position fromPosition;
  PitchedPointer from;
  void *toArray;
  Position toPosition;
  PitchedPointer to;
  size_t widthBytes, height, depth;
  CopyKind kind;
};
static_assert(sizeof(Copy3dParameters) == 160);

Copy3d::Side side(const PitchedPointer &pointer, const Position &position) {
  Copy3d::Side result = sideOf(pointer.pointer, pointer.pitch);
  result.xBytes = position.x;
  result.y = position.y;
  result.z = position.z;
  result.height = pointer.height;
  return result;
}

} // namespace

ASHLAR_CUDART Error cudaMemcpy3DAsync(const Copy3dParameters *parameters,
                                      StreamHandle stream) {
  return call([=] {
    if (!parameters)
      return Error::invalidValue;
    const Copy3dParameters &p = *parameters;
    if (p.fromArray || p.toArray)
      return refuse(Error::notSupported,
                    "the simulator has no CUDA arrays to copy");
    if (Error error = checkDirection(p.to.pointer, p.from.pointer, p.kind);
        error != Error::success)
      return error;
    const Copy3d copy = {side(p.from, p.fromPosition), side(p.to, p.toPosition),
                         p.widthBytes, p.height, p.depth};
    return record(cuMemcpy3DAsync_v2(&copy, stream));
  });
}
ASHLAR_CUDART_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);
ASHLAR_CUDART Error cudaMemcpy3D(const Copy3dParameters *parameters) {
  return cudaMemcpy3DAsync(parameters, nullptr);
}
ASHLAR_CUDART_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);
