// How TMA scatters a tile over the banks of shared memory (PTX ISA, "Tensor
// swizzling modes"): within a span of 32, 64 or 128 bytes, 16-byte chunks
// change places as the number of the 128-byte line says.
#pragma once

#include <cstdint>

namespace ashlar::sim {

/// What moves as a whole.
inline constexpr uint32_t swizzleChunkBytes = 16;

/// Where the byte that would lie at `address` of shared memory does lie. The
/// span is 0 (no swizzle), 32, 64 or 128. The pattern belongs to the address,
/// not to the tile: it repeats every 8 * span bytes of shared memory. It is its
/// own inverse.
constexpr uint32_t swizzle(uint32_t address, uint32_t spanBytes) {
  if (spanBytes < 2 * swizzleChunkBytes)
    return address;
  const uint32_t chunks = spanBytes / swizzleChunkBytes;
  return address ^ ((address >> 7 & (chunks - 1)) << 4);
}

} // namespace ashlar::sim
