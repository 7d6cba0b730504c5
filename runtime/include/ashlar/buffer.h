#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ashlar {

class Device;
class Stream;
struct Context;

/// Device memory that is freed with the object. Moves, does not copy.
/// The functions without a stream have finished when they return. All throw
/// `Error` when the bytes do not fit or the driver refuses.
class Buffer {
public:
  /// Allocates `sizeBytes` (0 allocates nothing, `data()` is then null). The
  /// memory holds no particular values and is aligned to 256 bytes.
  Buffer(Device &device, int64_t sizeBytes);
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();

  /// The device address; not for the host to follow.
  void *data() const { return address; }
  int64_t size_bytes() const { return sizeBytes; }

  /// Copies `source` to the start of the buffer.
  void copy_from_host(std::span<const std::byte> source);
  /// Copies the start of the buffer to all of `destination`.
  void copy_to_host(std::span<std::byte> destination) const;
  /// Copies all of `source` to the start of the buffer in the order of
  /// `stream`, without waiting for it.
  void copy_from(const Buffer &source, Stream &stream);
  /// Sets every byte.
  void fill(std::byte value);
  /// Sets every byte in the order of `stream`, without waiting for it.
  void fill(std::byte value, Stream &stream);

private:
  void free() noexcept;

  std::shared_ptr<Context> context;
  void *address = nullptr;
  int64_t sizeBytes = 0;
};

} // namespace ashlar
