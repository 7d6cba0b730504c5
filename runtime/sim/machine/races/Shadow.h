// The accesses that the race detector remembers of a stretch of memory.
//
// For each word of 4 bytes the last write and the reads since then, after
// FastTrack (Flanagan and Freund, PLDI 2009): a write is forgotten when it is
// overwritten, a read when a later one is ordered after it. A cell holds two
// references of 32 bits. One that the whole word shares (the normal case)
// names an access record and the lane; all else is an interned set.
#pragma once

#include "runtime/sim/machine/races/ShadowTables.h"

#include <bit>
#include <memory>
#include <vector>

namespace ashlar::sim {

class Shadow {
public:
  /// Of a word that more than `maxReaders` agents read, the later ones are
  /// not remembered; nor the first of those that wrote the same to it.
  Shadow(uint64_t sizeBytes, size_t maxReaders);

  /// Of all stretches by all lanes.
  void access(AccessKind kind, std::span<const Stretch> stretches,
              LaneMask lanes, const Accessor &accessor,
              const MemoryBlock::OnConflict &onConflict);

  /// Each lane accesses an element of its own, of a power of two of bytes: lane
  /// 0 at `offset` (if it is one of `lanes`), the others behind it.
  void accessInLine(AccessKind kind, uint64_t offset, unsigned elementBytes,
                    LaneMask lanes, const Accessor &accessor,
                    const MemoryBlock::OnConflict &onConflict);

  /// Bytes of the host's memory in use.
  size_t memoryBytes() const;

private:
  /// 0: none. Bit 31: the number of a set. Else the number of a record, then 6
  /// bits: a lane, or 32 for all lanes of the record, or 33 for the lane that
  /// the place tells.
  using AccessReference = uint32_t;
  struct alignas(8) Cell {
    AccessReference write = 0, readers = 0;
    bool operator==(const Cell &other) const {
      return std::bit_cast<uint64_t>(*this) == std::bit_cast<uint64_t>(other);
    }
  };
  struct Current; // the access that is being made
  struct Memo;    // what became of the last cell

  void accessStretch(Current &now, Memo &memo, const Stretch &stretch);
  Cell *page(uint64_t word);
  AccessRecord recordOf(const Accessor &accessor) const;
  void accessWords(Current &now, Memo &memo, uint64_t first, uint64_t last);
  void accessBytes(Current &now, uint64_t word, uint8_t bytes);
  Cell after(Current &now, Cell cell, uint8_t bytes, uint64_t offset);
  bool quickly(Current &now, Cell &cell, uint64_t offset) const;
  void addReader(Current &now, Cell &cell, uint8_t bytes, uint64_t offset);
  bool isOrdered(Current &now, AccessReference earlier, bool earlierWrites,
                 uint64_t offset) const;
  /// Reports a conflict. True where there is none because both write the same.
  bool check(Current &now, const SharedAccess &earlier, bool earlierWrites,
             AccessReference readers, uint8_t bytes, uint64_t offset);
  bool isObserved(Current &now, const AccessRecord &write,
                  AccessReference readers, uint64_t offset) const;
  LaneMask lanesOf(const SharedAccess &access, uint64_t offset) const;
  std::span<const SharedAccess> expand(AccessReference reference,
                                       SharedAccess &single) const;
  AccessReference compress(std::span<const SharedAccess> accesses);
  void collect();

  static constexpr uint64_t pageWords = 1024;
  const size_t maxReaders;
  std::vector<std::unique_ptr<Cell[]>> pages;
  size_t pagesInUse = 0;
  AccessRecords records;
  AccessSets sets;
  size_t tableLimit = 1 << 16; // of records and set elements, before collect
  std::vector<SharedAccess> kept, alike; // scratch
};

} // namespace ashlar::sim
