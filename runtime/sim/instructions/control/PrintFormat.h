// printf as device code does it: the format string and a buffer of arguments,
// both in the kernel's memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ashlar::sim {

/// What reads the kernel's memory for a lane.
struct PrintMemory {
  /// `sizeBytes` (4 or 8) at an offset in the buffer of arguments.
  std::function<uint64_t(uint64_t offset, unsigned sizeBytes)> argument;
  /// The string, ended by 0, at an address.
  std::function<std::string(uint64_t address)> text;
};

/// The formatted text; `count` is set to the number of arguments read, which is
/// what device printf returns. A conversion that is not known is copied.
std::string formatPrint(std::string_view format, const PrintMemory &memory,
                        int &count);

} // namespace ashlar::sim
