// What a document of an artifact may be made of, looked at before it is built
// in memory.
#pragma once

#include <cstddef>
#include <span>

namespace ashlar {

/// Whether the bytes are CBOR that is not nested deeply, has no fractions, and
/// not so many values that they would fill the memory. The library's reader
/// calls itself for each level.
bool isModestCbor(std::span<const std::byte> bytes);

} // namespace ashlar
