#pragma once

#include <chrono>
#include <memory>

namespace ashlar {

class Device;
struct Context;

/// A queue of work on the device. Moves, does not copy. The functions throw
/// `Error` when the driver refuses or earlier work on the device has failed.
class Stream {
public:
  /// A new stream, destroyed with the object.
  explicit Stream(Device &device);

  /// The caller's own CUstream or cudaStream_t, which is never destroyed here.
  /// Null is CUDA's legacy default stream.
  static Stream wrap(Device &device, void *handle);

  Stream(Stream &&other) noexcept;
  Stream &operator=(Stream &&other) noexcept;
  ~Stream();

  /// The CUstream.
  void *handle() const;

  /// Waits, without a limit, until all work of the stream has finished.
  void synchronize();

  /// Waits at most `limit`; says whether all work of the stream has finished.
  bool wait_for(std::chrono::milliseconds limit);

private:
  Stream(std::shared_ptr<Context> context, void *stream, bool owned);
  void destroy() noexcept;

  std::shared_ptr<Context> context;
  void *stream = nullptr;
  bool owned = false;
};

/// A point in a stream's work, for timing. Moves, does not copy.
class Event {
public:
  explicit Event(Device &device);
  Event(Event &&other) noexcept;
  Event &operator=(Event &&other) noexcept;
  ~Event();

  /// Marks the end of the work that `stream` has so far.
  void record(Stream &stream);

  /// Milliseconds on the device from `start` to this event. Both must have been
  /// recorded, and the work before them must have finished.
  float milliseconds_since(const Event &start) const;

private:
  void destroy() noexcept;

  std::shared_ptr<Context> context;
  void *event = nullptr;
};

} // namespace ashlar
