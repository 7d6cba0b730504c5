// cuPointer*.
#include "runtime/sim/driver/State.h"
#include "runtime/sim/driver/library/Export.h"

#include <cstring>

using namespace ashlar::sim;
using namespace ashlar::sim::library;

namespace {

// CUpointer_attribute.
enum class PointerAttribute : int {
  context = 1,
  memoryType = 2,
  devicePointer = 3,
  hostPointer = 4,
  syncMemops = 6,
  bufferId = 7,
  isManaged = 8,
  deviceOrdinal = 9,
  isLegacyIpcCapable = 10,
  rangeStart = 11,
  rangeSize = 12,
  mapped = 13,
  accessFlags = 16,
};

template <class T> Result give(void *data, T value) {
  std::memcpy(data, &value, sizeof(value));
  return Result::success;
}

} // namespace

ASHLAR_CUDA Result cuPointerGetAttribute(void *data, PointerAttribute attribute,
                                         DevicePointer pointer) {
  State &all = state();
  std::lock_guard lock(all.lock);
  if (!data)
    return Result::invalidValue;
  DevicePointer address = pointer;
  const bool isHost = calls::hostGetDevicePointer(
                          &address, hostPointer(pointer)) == Result::success;
  MemoryBlock *block = all.memory->find(address);
  if (!block)
    return refuse(Result::invalidValue,
                  "the pointer is neither to device memory nor to host memory "
                  "that the driver knows");
  ContextHandle context = nullptr;
  switch (attribute) {
  case PointerAttribute::context:
    calls::contextGetCurrent(&context);
    return give(data, context);
  case PointerAttribute::memoryType:
    return give(data, isHost ? 1u : 2u);
  case PointerAttribute::devicePointer:
    return give(data, address);
  case PointerAttribute::hostPointer:
    if (!all.hostBlocks.count(block->data()))
      return Result::invalidValue;
    return give(data, block->data() + (address - block->address));
  case PointerAttribute::bufferId:
    return give(data, static_cast<unsigned long long>(block->address));
  case PointerAttribute::syncMemops:
  case PointerAttribute::isManaged:
  case PointerAttribute::isLegacyIpcCapable:
    return give(data, 0u);
  case PointerAttribute::deviceOrdinal:
    return give(data, 0);
  case PointerAttribute::rangeStart:
    return give(data, static_cast<DevicePointer>(block->address));
  case PointerAttribute::rangeSize:
    return give(data, static_cast<size_t>(block->sizeBytes));
  case PointerAttribute::mapped:
    return give(data, 1);
  case PointerAttribute::accessFlags:
    return give(data, 3);
  }
  return refuse(Result::notSupported,
                "the simulator does not know pointer attribute " +
                    std::to_string(static_cast<int>(attribute)));
}

// Of a pointer that is not known, every attribute is zero.
ASHLAR_CUDA Result cuPointerGetAttributes(unsigned count,
                                          PointerAttribute *attributes,
                                          void **data, DevicePointer pointer) {
  if (!attributes || !data)
    return Result::invalidValue;
  for (unsigned i = 0; i < count; ++i)
    if (cuPointerGetAttribute(data[i], attributes[i], pointer) !=
        Result::success) {
      const bool isShort =
          attributes[i] == PointerAttribute::memoryType ||
          attributes[i] == PointerAttribute::syncMemops ||
          attributes[i] == PointerAttribute::isManaged ||
          attributes[i] == PointerAttribute::deviceOrdinal ||
          attributes[i] == PointerAttribute::isLegacyIpcCapable ||
          attributes[i] == PointerAttribute::mapped ||
          attributes[i] == PointerAttribute::accessFlags;
      if (data[i])
        isShort ? give(data[i], 0) : give(data[i], uint64_t(0));
    }
  return Result::success;
}
