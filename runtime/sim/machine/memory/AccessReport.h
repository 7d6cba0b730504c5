// Sentences on accesses to memory that are wrong.
#pragma once

#include "runtime/sim/machine/Cluster.h"

#include <string>

namespace ashlar::sim {

/// "stage 1 of ... (shared+16384)", "byte 128 of the global allocation of 4096
/// bytes at 0x7f0000000000".
std::string placeOf(const Cluster &cluster, const MemoryBlock &block,
                    uint64_t offset);

/// " It is X[0]: was the launch given memory of the host?", of an address in no
/// allocation, or "" where no tensor begins before it.
std::string elementSentence(const Cluster &cluster, uint64_t address);

/// Why `sizeBytes` at the place are out of bounds. A null block: the address
/// lies before every allocation.
std::string outOfBoundsSentence(const Cluster &cluster, const Location &place,
                                uint64_t sizeBytes);

std::string uninitialisedSentence(const Cluster &cluster,
                                  const MemoryBlock &block, uint64_t offset);

/// "0x7f0000000000".
std::string hexadecimal(uint64_t value);

/// The CTA whose shared memory it is; null for other memory.
Cta *ctaOf(const Cluster &cluster, const MemoryBlock &block);

/// Whether [offset, offset + sizeBytes) may be accessed at all: within the
/// block, and not in the reserved part of a shared window.
inline bool isWithin(const Location &place, uint64_t sizeBytes) {
  return place.block && place.block->contains(place.offset, sizeBytes) &&
         (place.block->kind != MemoryBlock::Kind::shared ||
          place.offset >= reservedSharedBytes);
}

} // namespace ashlar::sim
