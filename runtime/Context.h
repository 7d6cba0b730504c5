// A device's primary context with what is known about the device. Everything
// made from a Device shares one, so that it is released last. Once a kernel has
// hung, any driver call may wait for it for ever: `lose` makes every later call
// an Error and every destructor a no-op.
#pragma once

#include "runtime/Driver.h"

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>

namespace ashlar {

struct Context {
  Context(const DriverTable &driver, int ordinal);
  Context(const Context &) = delete;
  ~Context();

  /// Makes the context current in this thread; throws when it is lost.
  void enter() const;

  /// The same for destructors: says whether driver calls may be made.
  bool tryEnter() const noexcept;

  /// Throws unless `result` is success; `what` says what was being done.
  void check(driver::Result result, std::string_view what) const;

  /// What stands for a tensor without elements where TMA is to read one: 16
  /// bytes of zeros; and where it is to store to the tensor of this number of a
  /// kernel: 16 bytes of its own. A kernel that may need them asks when it is
  /// loaded.
  void provideEmpty();
  driver::DevicePointer zeros() const { return emptyBytes; }
  driver::DevicePointer discarded(int tensor) const;

  /// No more driver calls; `reason` goes into later errors.
  void lose(std::string reason);

  const DriverTable &driver;
  driver::DeviceOrdinal device = 0;
  driver::ContextHandle handle = nullptr;
  std::string name;
  int computeCapability = 0;
  int smCount = 0;
  int maxSharedBytes = 0;

private:
  std::mutex emptyMutex;
  std::atomic<driver::DevicePointer> emptyBytes = 0;
  std::atomic<bool> lost = false;
  mutable std::mutex lostMutex;
  std::string lostReason;
};

} // namespace ashlar
