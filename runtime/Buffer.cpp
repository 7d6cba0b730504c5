#include "ashlar/buffer.h"

#include "ashlar/device.h"
#include "ashlar/error.h"
#include "runtime/Context.h"
#include "runtime/MovedFrom.h"
#include "runtime/Text.h"

#include <utility>

namespace ashlar {
namespace {

driver::DevicePointer devicePointer(void *address) {
  return reinterpret_cast<driver::DevicePointer>(address);
}

void checkFits(size_t bytes, int64_t sizeBytes) {
  if (bytes > static_cast<size_t>(sizeBytes))
    throw Error(concat("a copy of ", bytes,
                       " bytes does not fit the buffer, which has ", sizeBytes,
                       ": copy less or allocate more"));
}

} // namespace

Buffer::Buffer(Device &device, int64_t sizeBytes)
    : context(device.shared_context()), sizeBytes(sizeBytes) {
  if (sizeBytes < 0)
    throw Error(concat("a buffer of ", sizeBytes,
                       " bytes was asked for; the least is 0"));
  context->enter();
  if (sizeBytes == 0)
    return;
  driver::DevicePointer allocated = 0;
  context->check(context->driver.memoryAllocate(&allocated,
                                                static_cast<size_t>(sizeBytes)),
                 concat("allocating ", sizeBytes, " bytes on the device"));
  address = reinterpret_cast<void *>(allocated);
}

Buffer::Buffer(Buffer &&other) noexcept
    : context(std::move(other.context)),
      address(std::exchange(other.address, nullptr)),
      sizeBytes(std::exchange(other.sizeBytes, 0)) {}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  if (this != &other) {
    free();
    context = std::move(other.context);
    address = std::exchange(other.address, nullptr);
    sizeBytes = std::exchange(other.sizeBytes, 0);
  }
  return *this;
}

Buffer::~Buffer() { free(); }

void Buffer::free() noexcept {
  if (address && context->tryEnter())
    context->driver.memoryFree(devicePointer(address));
  address = nullptr;
}

// The driver's copy from pageable memory may return before the bytes are on the
// device, and its fill always does: the wait makes both true for every stream.
void Buffer::copy_from_host(std::span<const std::byte> source) {
  notMovedFrom(context, "Buffer");
  checkFits(source.size(), sizeBytes);
  if (source.empty())
    return;
  context->enter();
  context->check(context->driver.copyHostToDevice(devicePointer(address),
                                                  source.data(), source.size()),
                 "copying to the device");
  context->check(context->driver.streamSynchronize(nullptr),
                 "copying to the device");
}

void Buffer::copy_to_host(std::span<std::byte> destination) const {
  notMovedFrom(context, "Buffer");
  checkFits(destination.size(), sizeBytes);
  if (destination.empty())
    return;
  context->enter();
  context->check(context->driver.copyDeviceToHost(destination.data(),
                                                  devicePointer(address),
                                                  destination.size()),
                 "copying from the device");
}

void Buffer::copy_from(const Buffer &source, Stream &stream) {
  notMovedFrom(source.context, "Buffer");
  notMovedFrom(context, "Buffer");
  checkFits(static_cast<size_t>(source.sizeBytes), sizeBytes);
  if (source.sizeBytes == 0)
    return;
  context->enter();
  context->check(context->driver.copyDeviceToDeviceAsync(
                     devicePointer(address), devicePointer(source.address),
                     static_cast<size_t>(source.sizeBytes),
                     static_cast<driver::StreamHandle>(stream.handle())),
                 "copying on the device");
}

void Buffer::fill(std::byte value) {
  notMovedFrom(context, "Buffer");
  if (sizeBytes == 0)
    return;
  context->enter();
  context->check(context->driver.setBytes(devicePointer(address),
                                          static_cast<unsigned char>(value),
                                          static_cast<size_t>(sizeBytes)),
                 "filling a buffer");
  context->check(context->driver.streamSynchronize(nullptr),
                 "filling a buffer");
}

void Buffer::fill(std::byte value, Stream &stream) {
  notMovedFrom(context, "Buffer");
  if (sizeBytes == 0)
    return;
  context->enter();
  context->check(context->driver.setBytesAsync(
                     devicePointer(address), static_cast<unsigned char>(value),
                     static_cast<size_t>(sizeBytes),
                     static_cast<driver::StreamHandle>(stream.handle())),
                 "filling a buffer");
}

} // namespace ashlar
