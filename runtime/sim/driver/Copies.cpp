// Device memory, and copies to and from it. What a program copies or sets
// counts as initialised.
#include "runtime/sim/driver/Calls.h"
#include "runtime/sim/driver/State.h"

#include <cstring>
#include <new>
#include <unistd.h>

namespace ashlar::sim::calls {
namespace {

std::string hexadecimal(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

/// Where an access of the host goes. `block` is null, with the reason kept,
/// when the bytes are not all inside of one allocation.
struct Place {
  MemoryBlock *block = nullptr;
  uint64_t offset = 0;
  uint8_t *data() const { return block->data() + offset; }
};

Place place(DevicePointer address, size_t sizeBytes, const char *what) {
  GlobalMemory &memory = *state().memory;
  std::lock_guard lock(memory.lock);
  MemoryBlock *block = memory.find(address);
  if (block && block->contains(address - block->address, sizeBytes))
    return {block, address - block->address};
  std::string reason = std::string(what) + " of " + std::to_string(sizeBytes) +
                       " bytes at " + hexadecimal(address);
  if (!block)
    block = memory.nearest(address);
  if (block)
    reason += " is not inside of an allocation: the nearest, '" + block->name +
              "', has " + std::to_string(block->sizeBytes) + " bytes from " +
              hexadecimal(block->address) + " on";
  else
    reason += ", but nothing is allocated";
  refuse(Result::invalidValue, reason);
  return {};
}

Result copyIn(DevicePointer destination, const void *source, size_t size) {
  if (size == 0)
    return Result::success;
  if (!source)
    return refuse(Result::invalidValue, "a copy to the device has no source");
  const Place to = place(destination, size, "a copy to the device");
  if (!to.block)
    return Result::invalidValue;
  std::memcpy(to.data(), source, size);
  to.block->setInitialised(to.offset, size);
  return Result::success;
}

Result copyOut(void *destination, DevicePointer source, size_t size) {
  if (size == 0)
    return Result::success;
  if (!destination)
    return refuse(Result::invalidValue,
                  "a copy from the device has no destination");
  const Place from = place(source, size, "a copy from the device");
  if (!from.block)
    return Result::invalidValue;
  std::memcpy(destination, from.data(), size);
  return Result::success;
}

/// Bytes that were never written stay so in the copy.
Result copyWithin(DevicePointer destination, DevicePointer source,
                  size_t size) {
  if (size == 0)
    return Result::success;
  const Place from = place(source, size, "a copy");
  if (!from.block)
    return Result::invalidValue;
  const Place to = place(destination, size, "a copy");
  if (!to.block)
    return Result::invalidValue;
  std::memmove(to.data(), from.data(), size);
  for (uint64_t at = 0; at < size;) {
    const uint64_t end =
        from.block->firstUninitialised(from.offset + at, size - at) -
        from.offset;
    if (end > at)
      to.block->setInitialised(to.offset + at, end - at);
    at = end + 1;
  }
  return Result::success;
}

Result set(DevicePointer destination, uint32_t value, unsigned elementBytes,
           size_t count) {
  if (count == 0)
    return Result::success;
  if (destination % elementBytes)
    return refuse(Result::invalidValue,
                  hexadecimal(destination) + " is not a multiple of " +
                      std::to_string(elementBytes) +
                      ", the size of an element to be set");
  if (count > SIZE_MAX / elementBytes)
    return Result::invalidValue;
  const Place to = place(destination, count * elementBytes, "a fill");
  if (!to.block)
    return Result::invalidValue;
  if (elementBytes == 1)
    std::memset(to.data(), static_cast<int>(value), count);
  else
    for (size_t i = 0; i < count; ++i)
      std::memcpy(to.data() + i * elementBytes, &value, elementBytes);
  to.block->setInitialised(to.offset, count * elementBytes);
  return Result::success;
}

/// An allocation beyond this would only end the process.
uint64_t hostMemoryBytes() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
}

Result noMemory(size_t sizeBytes) {
  return refuse(Result::outOfMemory, "the host has no " +
                                         std::to_string(sizeBytes) +
                                         " bytes for device memory");
}

} // namespace

Result memoryAllocate(DevicePointer *address, size_t sizeBytes) {
  State &all = state();
  std::lock_guard lock(all.lock);
  if (!address || sizeBytes == 0)
    return refuse(Result::invalidValue, "an allocation of 0 bytes");
  if (sizeBytes > hostMemoryBytes())
    return noMemory(sizeBytes);
  if (Result result = all.health(); result != Result::success)
    return result;
  try {
    std::lock_guard memoryLock(all.memory->lock);
    *address =
        all.memory
            ->allocate(sizeBytes, 512,
                       "allocation of " + std::to_string(sizeBytes) + " bytes")
            ->address;
  } catch (const std::bad_alloc &) {
    return noMemory(sizeBytes);
  }
  return Result::success;
}

Result memoryFree(DevicePointer address) {
  State &all = state();
  std::lock_guard lock(all.lock);
  if (address == 0)
    return Result::success;
  std::lock_guard memoryLock(all.memory->lock);
  MemoryBlock *block = all.memory->find(address);
  if (!block || block->address != address || !all.memory->free(address))
    return refuse(Result::invalidValue,
                  "no allocation begins at " + hexadecimal(address) +
                      ": it was freed before or is inside of one");
  return Result::success;
}

Result memoryGetRange(DevicePointer *base, size_t *sizeBytes,
                      DevicePointer address) {
  State &all = state();
  std::lock_guard lock(all.lock);
  MemoryBlock *block = all.memory->find(address);
  if (!block)
    return refuse(Result::notFound,
                  hexadecimal(address) + " is in no allocation");
  if (base)
    *base = block->address;
  if (sizeBytes)
    *sizeBytes = block->sizeBytes;
  return Result::success;
}

// The pointer is to the bytes of a block of global memory, so host and kernels
// see the same; kernels must use the address that hostGetDevicePointer gives.
Result hostAllocate(void **pointer, size_t sizeBytes) {
  State &all = state();
  std::lock_guard lock(all.lock);
  if (!pointer || sizeBytes == 0)
    return Result::invalidValue;
  if (sizeBytes > hostMemoryBytes())
    return noMemory(sizeBytes);
  try {
    std::shared_ptr<MemoryBlock> block = all.memory->allocate(
        sizeBytes, 512,
        "host allocation of " + std::to_string(sizeBytes) + " bytes");
    block->setInitialised(0, sizeBytes);
    *pointer = block->data();
    all.hostBlocks[block->data()] = block;
  } catch (const std::bad_alloc &) {
    return noMemory(sizeBytes);
  }
  return Result::success;
}

Result hostFree(void *pointer) {
  State &all = state();
  std::lock_guard lock(all.lock);
  auto found = all.hostBlocks.find(pointer);
  if (found == all.hostBlocks.end())
    return refuse(Result::invalidValue, "no host allocation begins here");
  all.memory->free(found->second->address);
  all.hostBlocks.erase(found);
  return Result::success;
}

Result hostGetDevicePointer(DevicePointer *address, void *pointer) {
  State &all = state();
  std::lock_guard lock(all.lock);
  auto found = all.hostBlocks.upper_bound(pointer);
  if (!address || found == all.hostBlocks.begin())
    return Result::invalidValue;
  --found;
  const auto offset = static_cast<uint64_t>(static_cast<uint8_t *>(pointer) -
                                            found->second->data());
  if (offset >= found->second->sizeBytes)
    return Result::invalidValue;
  *address = found->second->address + offset;
  return Result::success;
}

Result copyHostToDeviceAsync(DevicePointer destination, const void *source,
                             size_t sizeBytes, StreamHandle stream) {
  return perform(stream,
                 [=] { return copyIn(destination, source, sizeBytes); });
}

Result copyDeviceToHostAsync(void *destination, DevicePointer source,
                             size_t sizeBytes, StreamHandle stream) {
  return perform(stream,
                 [=] { return copyOut(destination, source, sizeBytes); });
}

Result copyDeviceToDeviceAsync(DevicePointer destination, DevicePointer source,
                               size_t sizeBytes, StreamHandle stream) {
  return perform(stream,
                 [=] { return copyWithin(destination, source, sizeBytes); });
}

Result copyHostToDevice(DevicePointer destination, const void *source,
                        size_t sizeBytes) {
  return copyHostToDeviceAsync(destination, source, sizeBytes, nullptr);
}

Result copyDeviceToHost(void *destination, DevicePointer source,
                        size_t sizeBytes) {
  return copyDeviceToHostAsync(destination, source, sizeBytes, nullptr);
}

Result setElementsAsync(DevicePointer destination, uint32_t value,
                        unsigned elementBytes, size_t count, size_t pitchBytes,
                        size_t rows, StreamHandle stream) {
  return perform(stream, [=] {
    for (size_t row = 0; row < rows; ++row)
      if (Result result =
              set(destination + row * pitchBytes, value, elementBytes, count);
          result != Result::success)
        return result;
    return Result::success;
  });
}

Result setBytesAsync(DevicePointer destination, unsigned char value,
                     size_t sizeBytes, StreamHandle stream) {
  return setElementsAsync(destination, value, 1, sizeBytes, 0, 1, stream);
}

Result setBytes(DevicePointer destination, unsigned char value,
                size_t sizeBytes) {
  return setBytesAsync(destination, value, sizeBytes, nullptr);
}

} // namespace ashlar::sim::calls
