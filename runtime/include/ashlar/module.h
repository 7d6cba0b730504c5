#pragma once

#include "ashlar/artifact.h"
#include "ashlar/device.h"

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace ashlar {

/// A tensor in device memory. `shape` and `strides` are in elements, outermost
/// first; no strides means dense and row-major. The stride of a dimension with
/// fewer than two elements does not matter. A stride of 0 repeats what lies
/// inside; only a tensor that is not written may have one.
struct TensorArgument {
  void *data = nullptr;
  ElementType type = ElementType::f32;
  std::vector<int64_t> shape = {};
  std::vector<int64_t> strides = {};
};

/// A tensor, or a scalar: float, or double, which is rounded to it, for f32,
/// bf16 (rounded to nearest even) and f16 (likewise), an integer for s32 and
/// for sizes.
using Argument = std::variant<TensorArgument, float, double, int32_t, int64_t>;

struct NamedArgument {
  /// A view: a name that is made at run time has to outlive the launch.
  std::string_view name;
  Argument value;
};

/// Thrown when a kernel does not finish in time. The device is unusable from
/// then on: every later call on it throws `Error`, destructors leave it alone.
class TimeoutError : public Error {
public:
  using Error::Error;
};

/// A kernel loaded on a device. Moves, does not copy: one that was moved from
/// throws `Error` when it is used. Launches from several threads are safe.
class Module {
public:
  /// Loads the artifact: the cubin when there is one, else the driver compiles
  /// the PTX. Throws `Error` when the artifact contradicts itself, the device
  /// is of another architecture or has too little shared memory, or the driver
  /// refuses the code (with its log).
  Module(Device &device, Artifact artifact);
  Module(Module &&) noexcept;
  Module &operator=(Module &&) noexcept;
  ~Module();

  /// Checks every argument against the kernel's contract, then queues the
  /// kernel on `stream`. Sizes are read off the tensors' shapes and must agree;
  /// one that is no tensor's extent is passed by name as an integer. A written
  /// tensor must not share memory with another one, except that it may be
  /// exactly one that is read, and each element of it for one tile alone. A
  /// grid of zero tiles does nothing. Neither waits
  /// nor allocates, so it can be captured in a CUDA graph. Throws `Error`
  /// before anything is sent: it names the line of the launch, and behind it
  /// that of the kernel which the arguments contradict. With a
  /// default-constructed `where` (`{}`) it names the kernel's alone.
  void launch(std::span<const NamedArgument> arguments, Stream &stream,
              std::source_location where = std::source_location::current());
  void launch(std::initializer_list<NamedArgument> arguments, Stream &stream,
              std::source_location where = std::source_location::current());

  /// Launches on the default stream and waits. Throws `TimeoutError` when the
  /// kernel takes longer than `limit`, `Error` when it fails on the device, and
  /// as `launch` does.
  void
  launch_and_wait(std::span<const NamedArgument> arguments,
                  std::chrono::milliseconds limit,
                  std::source_location where = std::source_location::current());
  void
  launch_and_wait(std::initializer_list<NamedArgument> arguments,
                  std::chrono::milliseconds limit,
                  std::source_location where = std::source_location::current());

  const Artifact &artifact() const;

private:
  struct Implementation;
  Implementation &own() const;
  std::unique_ptr<Implementation> implementation;
};

} // namespace ashlar
