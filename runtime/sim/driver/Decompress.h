// Compressed text of fat binaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ashlar::sim {

enum class Compression { none, lz4, zstd };

/// The text that `bytes` were before; nothing, with the reason in `problem`,
/// where they are damaged or the library for them is not there.
std::optional<std::string> decompress(Compression kind,
                                      std::span<const uint8_t> bytes,
                                      size_t sizeBytes, std::string &problem);

} // namespace ashlar::sim
