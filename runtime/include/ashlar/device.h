#pragma once

#include "ashlar/buffer.h"
#include "ashlar/stream.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ashlar {

struct DriverTable;

/// One GPU, or the simulator, through its driver table. Holds the device's
/// primary context, which it shares with CUDA's runtime API and with PyTorch.
/// What is made from a Device keeps that context alive on its own, so the
/// objects may be destroyed in any order. Functions that talk to the device
/// make its context the calling thread's current one. One that was moved from,
/// of this class and of those that are made from it, throws `Error` when it is
/// used; a Buffer's `data()` is then null, and its `size_bytes()` 0.
class Device {
public:
  /// Opens a GPU through libcuda.so.1. Throws `Error` when there is no driver
  /// or no such device.
  static Device open(int ordinal = 0);

  /// Opens a device of another driver, such as the simulator. `driver` must
  /// outlive everything made from it.
  static Device open(const DriverTable &driver, int ordinal = 0);

  /// Why device 0 can't run kernels, in one line; nothing when it can.
  static std::optional<std::string> unavailable();
  static std::optional<std::string> unavailable(const DriverTable &driver);

  const std::string &name() const;
  /// 90 for compute capability 9.0.
  int compute_capability() const;
  /// Streaming multiprocessors (SMs).
  int sm_count() const;
  /// The most dynamic shared memory one block can have, in bytes.
  int64_t max_shared_bytes() const;

  /// Lets kernels on this device reach the memory of `peer`: tensors of a
  /// launch may lie there from then on. Throws `Error` when no link leads
  /// there.
  void enable_access_to(const Device &peer);

  /// The driver's entry points, for tools that need more than this class.
  const DriverTable &driver() const;

  const std::shared_ptr<Context> &shared_context() const;

private:
  explicit Device(std::shared_ptr<Context> context);

  std::shared_ptr<Context> context;
};

} // namespace ashlar
