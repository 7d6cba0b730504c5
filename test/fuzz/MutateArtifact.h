// Files of artifacts that are nearly right, with the checksum done again.
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace ashlar::fuzz {

using Bytes = std::vector<std::byte>;

/// The file with one to three changes: to a field (its number, its text, its
/// length, its type, its presence), to bytes behind the header, or to bytes
/// anywhere. Only the last may leave the checksum wrong.
Bytes mutateArtifact(std::span<const std::byte> file, std::mt19937_64 &random);

} // namespace ashlar::fuzz
