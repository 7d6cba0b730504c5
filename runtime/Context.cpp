#include "runtime/Context.h"

#include "ashlar/error.h"
#include "runtime/Text.h"

namespace ashlar {

using driver::DeviceAttribute;
using driver::Result;

Context::Context(const DriverTable &driver, int ordinal) : driver(driver) {
  check(driver.init(0), "starting the driver");
  int count = 0;
  check(driver.deviceGetCount(&count), "counting the GPUs");
  if (ordinal < 0 || ordinal >= count)
    throw Error(
        concat("there is no GPU ", ordinal, ": the driver sees ", count));
  check(driver.deviceGet(&device, ordinal), "finding the GPU");

  char text[256] = {};
  check(driver.deviceGetName(text, sizeof(text) - 1, device),
        "reading the GPU's name");
  name = text;
  auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    check(driver.deviceGetAttribute(&value, which, device),
          "reading the GPU's properties");
    return value;
  };
  computeCapability = 10 * attribute(DeviceAttribute::computeCapabilityMajor) +
                      attribute(DeviceAttribute::computeCapabilityMinor);
  smCount = attribute(DeviceAttribute::multiprocessorCount);
  maxSharedBytes = attribute(DeviceAttribute::maxSharedMemoryPerBlockOptin);
  check(driver.primaryContextRetain(&handle, device), "opening the GPU");
}

Context::~Context() {
  if (emptyBytes && tryEnter())
    driver.memoryFree(emptyBytes);
  if (!lost)
    driver.primaryContextRelease(device);
}

/// cuTensorMapEncodeTiled: addresses are multiples of as many.
static constexpr size_t emptyTensorBytes = 16;
/// Each has a tensor map, of 128 bytes, in a block of parameters of 32 KiB.
static constexpr size_t mostEmptyTensors = 256;

void Context::provideEmpty() {
  std::lock_guard lock(emptyMutex);
  if (emptyBytes)
    return;
  constexpr size_t bytes = (1 + mostEmptyTensors) * emptyTensorBytes;
  driver::DevicePointer allocated = 0;
  check(driver.memoryAllocate(&allocated, bytes), "allocating zeros");
  if (const Result result = driver.setBytes(allocated, 0, bytes);
      result != Result::success) {
    driver.memoryFree(allocated);
    check(result, "setting them to zero");
  }
  emptyBytes = allocated;
}

driver::DevicePointer Context::discarded(int tensor) const {
  return emptyBytes + (1 + static_cast<size_t>(tensor) % mostEmptyTensors) *
                          emptyTensorBytes;
}

void Context::enter() const {
  if (lost) {
    std::lock_guard lock(lostMutex);
    throw Error(lostReason);
  }
  check(driver.contextSetCurrent(handle), "making the GPU's context current");
}

bool Context::tryEnter() const noexcept {
  return !lost && driver.contextSetCurrent(handle) == Result::success;
}

void Context::check(Result result, std::string_view what) const {
  if (result != Result::success)
    throw Error(concat(what, " failed: ", describe(driver, result)));
}

void Context::lose(std::string reason) {
  std::lock_guard lock(lostMutex);
  if (lost)
    return;
  lostReason = std::move(reason);
  lost = true;
}

} // namespace ashlar
