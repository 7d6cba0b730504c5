#include "runtime/sim/machine/races/ShadowAccess.h"

#include <algorithm>

namespace ashlar::sim {

/// What was decided for a cell holds for the next with the same content, unless
/// it hung on the lane that is told by the place.
struct Shadow::Memo {
  Cell seen, next;
  bool isKnown = false;
};

Shadow::Shadow(uint64_t sizeBytes, size_t maxReaders)
    : maxReaders(maxReaders),
      pages((sizeBytes + 4 * pageWords - 1) / (4 * pageWords)) {}

Shadow::Cell *Shadow::page(uint64_t word) {
  auto &page = pages[word / pageWords];
  if (!page) {
    page = std::make_unique<Cell[]>(pageWords);
    ++pagesInUse;
  }
  return page.get();
}

size_t Shadow::memoryBytes() const {
  return pagesInUse * pageWords * sizeof(Cell) +
         pages.size() * sizeof(pages[0]) +
         records.size() * sizeof(AccessRecord) +
         sets.size() * sizeof(SharedAccess);
}

/// Whether an earlier access by one record is ordered before this one and
/// visible to it, in all its lanes.
bool Shadow::isOrdered(Current &now, AccessReference reference,
                       bool earlierWrites, uint64_t offset) const {
  const AccessRecord &earlier = records[reference >> laneBits];
  const uint32_t code = reference & laneCode;
  const bool isByPlace = code == byPlace;
  const LaneMask lanes = isByPlace             ? earlier.laneAt(offset)
                         : code == allOfRecord ? earlier.lanes
                                               : 1u << code;
  return !now.unordered(earlier, lanes, isByPlace, earlierWrites) &&
         !((earlierWrites || now.writes) &&
           now.unfenced(earlier, lanes, isByPlace));
}

/// The normal case: the whole word, one earlier write, one earlier reader, all
/// ordered before this access.
bool Shadow::quickly(Current &now, Cell &cell, uint64_t offset) const {
  if ((cell.write | cell.readers) & setBit)
    return false;
  if (cell.write && !isOrdered(now, cell.write, true, offset))
    return false;
  if (!now.writes && cell.readers == now.reference)
    return true;
  if (cell.readers && !isOrdered(now, cell.readers, false, offset))
    return false;
  if (now.writes)
    cell = {now.reference, 0};
  else
    cell.readers = now.reference;
  return true;
}

/// The cell after the access to `bytes` of the word at `offset`; conflicts are
/// reported.
Shadow::Cell Shadow::after(Current &now, Cell cell, uint8_t bytes,
                           uint64_t offset) {
  if (bytes == wholeWord && quickly(now, cell, offset))
    return cell;

  SharedAccess single;
  alike.clear();
  for (SharedAccess write : expand(cell.write, single))
    if ((write.bytes & bytes) &&
        check(now, write, true, cell.readers, bytes, offset)) {
      write.bytes &= bytes;
      alike.push_back(write);
    }
  if (!now.writes) {
    addReader(now, cell, bytes, offset);
    return cell;
  }
  for (const SharedAccess &reader : expand(cell.readers, single))
    if (reader.bytes & bytes)
      check(now, reader, false, 0, bytes, offset);
  for (AccessReference *side : {&cell.write, &cell.readers}) {
    kept.clear();
    for (SharedAccess access : expand(*side, single))
      if (access.bytes &= ~bytes)
        kept.push_back(access);
    if (side == &cell.write) {
      const size_t count = std::min(alike.size(), maxReaders);
      kept.insert(kept.end(), alike.end() - static_cast<std::ptrdiff_t>(count),
                  alike.end());
      kept.push_back({now.record, now.isByPlace ? 0 : now.lanes, bytes});
    }
    *side = compress(kept);
  }
  return cell;
}

AccessRecord Shadow::recordOf(const Accessor &accessor) const {
  AccessRecord record;
  record.agent = accessor.agent;
  record.epoch = accessor.epoch;
  record.cta = accessor.cta;
  record.warp = static_cast<uint8_t>(accessor.warp);
  record.asynchronous = accessor.asynchronous;
  record.scope = accessor.scope;
  record.instruction = accessor.instruction;
  return record;
}

void Shadow::accessBytes(Current &now, uint64_t word, uint8_t bytes) {
  Cell &cell = page(word)[word % pageWords];
  cell = after(now, cell, bytes, word * 4);
}

/// The whole words from `first` to `last`.
void Shadow::accessWords(Current &now, Memo &memo, uint64_t first,
                         uint64_t last) {
  for (uint64_t word = first; word <= last;) {
    Cell *cells = page(word);
    const uint64_t pageEnd = std::min(last, word | (pageWords - 1));
    for (; word <= pageEnd; ++word) {
      Cell &cell = cells[word % pageWords];
      if (!memo.isKnown || cell != memo.seen) {
        memo.seen = cell;
        now.dependsOnPlace = false;
        if (now.isByPlace)
          now.lanes = records[now.record].laneAt(word * 4);
        memo.next = after(now, cell, wholeWord, word * 4);
        memo.isKnown = !now.dependsOnPlace;
      }
      cell = memo.next;
    }
  }
}

void Shadow::accessStretch(Current &now, Memo &memo, const Stretch &stretch) {
  const uint64_t offset = stretch.offset, end = offset + stretch.size;
  uint64_t first = offset / 4, last = (end - 1) / 4;
  auto cutBytes = [&](uint64_t word) {
    const uint64_t from = std::max(offset, word * 4) - word * 4;
    const uint64_t to = std::min(end, word * 4 + 4) - word * 4;
    return static_cast<uint8_t>(wholeWord >> (4 - to) & wholeWord << from);
  };
  if (uint8_t bytes = cutBytes(first); bytes != wholeWord)
    accessBytes(now, first++, bytes);
  if (first > last)
    return;
  if (uint8_t bytes = cutBytes(last); bytes != wholeWord)
    accessBytes(now, last--, bytes);
  if (first <= last)
    accessWords(now, memo, first, last);
}

void Shadow::access(AccessKind kind, std::span<const Stretch> stretches,
                    LaneMask lanes, const Accessor &accessor,
                    const MemoryBlock::OnConflict &onConflict) {
  if (!accessor.causality)
    return;
  if (records.size() + sets.size() > tableLimit)
    collect();
  AccessRecord record = recordOf(accessor);
  record.lanes = isOneLane(lanes) ? 0 : lanes;
  Current now(kind, accessor, onConflict, lanes, records.intern(record),
              /*isByPlace=*/false, 0);
  Memo memo;
  for (const Stretch &stretch : stretches)
    if (stretch.size)
      accessStretch(now, memo, stretch);
}

void Shadow::accessInLine(AccessKind kind, uint64_t offset,
                          unsigned elementBytes, LaneMask lanes,
                          const Accessor &accessor,
                          const MemoryBlock::OnConflict &onConflict) {
  if (!accessor.causality)
    return;
  if (records.size() + sets.size() > tableLimit)
    collect();
  AccessRecord record = recordOf(accessor);
  record.pattern =
      AccessRecord::patternOf(std::countr_zero(elementBytes), offset);
  Current now(kind, accessor, onConflict, 0, records.intern(record),
              /*isByPlace=*/true, record.pattern);
  if (elementBytes >= 4) {
    Memo memo;
    for (LaneMask left = lanes; left;) {
      const unsigned first = std::countr_zero(left);
      const unsigned count = std::countr_one(left >> first);
      const uint64_t begin = offset + uint64_t(first) * elementBytes;
      accessWords(now, memo, begin / 4,
                  (begin + uint64_t(count) * elementBytes) / 4 - 1);
      left &= ~static_cast<LaneMask>(((uint64_t(1) << count) - 1) << first);
    }
    return;
  }
  // One pass for each place in a word, as each has the same bytes.
  const uint8_t element = elementBytes == 2 ? 0x3 : 0x1;
  for (unsigned place = 0; place < 4; place += elementBytes) {
    const auto bytes = static_cast<uint8_t>(element << place);
    Memo memo;
    forEachLane(lanes, [&](unsigned lane) {
      const uint64_t at = offset + uint64_t(lane) * elementBytes;
      if (at % 4 != place)
        return;
      now.lanes = 1u << lane;
      Cell &cell = page(at / 4)[at / 4 % pageWords];
      if (!memo.isKnown || cell != memo.seen) {
        memo.seen = cell;
        now.dependsOnPlace = false;
        memo.next = after(now, cell, bytes, at - place);
        memo.isKnown = !now.dependsOnPlace;
      }
      cell = memo.next;
    });
  }
}

} // namespace ashlar::sim
