#include "runtime/sim/machine/races/Shadow.h"

#include <algorithm>

namespace ashlar::sim {
namespace {

/// As std::has_single_bit, which calls a function where there is no popcnt.
bool isOneLane(LaneMask lanes) { return lanes && !(lanes & (lanes - 1)); }

constexpr uint32_t setBit = 1u << 31;
constexpr uint32_t allOfRecord = 32; // in place of a lane
constexpr uint32_t byPlace = 33;
constexpr unsigned laneBits = 6;
constexpr uint32_t laneCode = (1u << laneBits) - 1;
constexpr uint8_t wholeWord = 0xf;

/// Whether a strong access' scope includes the other's thread.
bool includes(Scope scope, uint32_t cta, uint32_t cluster, uint32_t otherCta,
              uint32_t otherCluster) {
  switch (scope) {
  case Scope::weak:
    return false;
  case Scope::cta:
    return cta == otherCta;
  case Scope::cluster:
    return cluster == otherCluster;
  case Scope::gpu:
  case Scope::system:
    break;
  }
  return true;
}

bool includes(Scope scope, uint32_t cta, uint32_t cluster,
              const AccessRecord &other) {
  return includes(scope, cta, cluster, other.cta, other.agent.cluster);
}

/// The lanes among `lanes` whose accesses in that epoch are not known.
LaneMask unknown(const Knowledge &knowledge, Epoch epoch, LaneMask lanes) {
  if (epoch <= knowledge.all)
    return 0;
  return epoch <= knowledge.top ? lanes & ~knowledge.ahead : lanes;
}

} // namespace

/// What was decided for a cell holds for the next with the same content, unless
/// it hung on the lane that is told by the place.
struct Shadow::Memo {
  Cell seen, next;
  bool isKnown = false;
};

struct Shadow::Current {
  const Accessor &accessor;
  const MemoryBlock::OnConflict &onConflict;
  const bool writes;
  LaneMask lanes; // those that access the word
  const uint32_t record;
  const AccessReference reference; // to the whole word
  const bool isByPlace;
  const uint8_t pattern;
  bool dependsOnPlace = false;
  std::vector<std::pair<uint32_t, bool>> told; // conflicts of this call

  Current(AccessKind kind, const Accessor &accessor,
          const MemoryBlock::OnConflict &onConflict, LaneMask lanes,
          uint32_t record, bool isByPlace, uint8_t pattern)
      : accessor(accessor), onConflict(onConflict),
        writes(kind != AccessKind::read), lanes(lanes), record(record),
        reference(record << laneBits |
                  (isByPlace          ? byPlace
                   : isOneLane(lanes) ? std::countr_zero(lanes)
                                      : allOfRecord)),
        isByPlace(isByPlace), pattern(pattern) {}

  /// Whether each place has the same lane in both, or neither tells it.
  bool isSamePattern(const AccessRecord &earlier, bool earlierByPlace) const {
    return earlierByPlace == isByPlace &&
           (!isByPlace || earlier.pattern == pattern);
  }

  /// Lanes of an earlier access that this one is not ordered after.
  LaneMask unordered(const AccessRecord &earlier, LaneMask earlierLanes,
                     bool earlierByPlace, bool earlierWrites) {
    const Knowledge knowledge = accessor.causality->base.of(earlier.agent);
    LaneMask left = unknown(knowledge, earlier.epoch, earlierLanes);
    if (earlier.epoch <= knowledge.all)
      return 0;
    dependsOnPlace |= earlierByPlace && earlier.epoch <= knowledge.top;
    // A thread's own past is ordered before it. Of several lanes each has all
    // but itself to fear.
    if (accessor.inProgramOrder && earlier.agent == accessor.agent) {
      dependsOnPlace |= !isSamePattern(earlier, earlierByPlace);
      if (isOneLane(lanes))
        left &= ~lanes;
      // Lanes that wrote the same value at once read back their own.
      if (earlierWrites && !writes && !(lanes & ~earlierLanes))
        left = 0;
    }
    return left;
  }
  /// Lanes whose generic writes this asynchronous access may not see.
  LaneMask unfenced(const AccessRecord &earlier, LaneMask earlierLanes,
                    bool earlierByPlace) {
    if (!accessor.asynchronous || earlier.asynchronous)
      return 0;
    const Knowledge knowledge =
        accessor.causality->asynchronous.of(earlier.agent);
    dependsOnPlace |= earlierByPlace && earlier.epoch > knowledge.all &&
                      earlier.epoch <= knowledge.top;
    return unknown(knowledge, earlier.epoch, earlierLanes);
  }
  bool areBothStrong(const AccessRecord &earlier) const {
    return includes(accessor.scope, accessor.cta, accessor.agent.cluster,
                    earlier) &&
           includes(earlier.scope, earlier.cta, earlier.agent.cluster,
                    accessor.cta, accessor.agent.cluster);
  }
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

LaneMask Shadow::lanesOf(const SharedAccess &access, uint64_t offset) const {
  return access.lanes ? access.lanes
                      : records[access.record].laneAt(
                            offset + std::countr_zero(access.bytes));
}

std::span<const SharedAccess> Shadow::expand(AccessReference reference,
                                             SharedAccess &single) const {
  if (!reference)
    return {};
  if (reference & setBit)
    return sets[reference & ~setBit];
  uint32_t code = reference & laneCode;
  single.record = reference >> laneBits;
  single.lanes = code == allOfRecord ? records[single.record].lanes
                 : code == byPlace   ? 0
                                     : 1u << code;
  single.bytes = wholeWord;
  return {&single, 1};
}

Shadow::AccessReference
Shadow::compress(std::span<const SharedAccess> accesses) {
  if (accesses.empty())
    return 0;
  const SharedAccess &first = accesses.front();
  if (accesses.size() == 1 && first.bytes == wholeWord) {
    if (!first.lanes)
      return first.record << laneBits | byPlace;
    if (first.lanes == records[first.record].lanes)
      return first.record << laneBits | allOfRecord;
    if (isOneLane(first.lanes))
      return first.record << laneBits | std::countr_zero(first.lanes);
  }
  return setBit | sets.intern(accesses);
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
         !(earlierWrites && now.unfenced(earlier, lanes, isByPlace));
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

/// Whether a strong read of what was written comes before this access: then
/// the write does as well (PTX ISA, "Causality Order": observation followed by
/// base causality).
bool Shadow::isObserved(Current &now, const AccessRecord &write,
                        AccessReference readers, uint64_t offset) const {
  if (write.scope == Scope::weak)
    return false;
  SharedAccess single;
  for (const SharedAccess &each : expand(readers, single)) {
    const AccessRecord &reader = records[each.record];
    const LaneMask lanes = lanesOf(each, offset);
    if (includes(reader.scope, reader.cta, reader.agent.cluster, write) &&
        includes(write.scope, write.cta, write.agent.cluster, reader) &&
        now.unordered(reader, lanes, !each.lanes, false) != lanes)
      return true;
  }
  return false;
}

void Shadow::check(Current &now, const SharedAccess &earlier,
                   bool earlierWrites, AccessReference readers, uint8_t bytes,
                   uint64_t offset) {
  const AccessRecord &record = records[earlier.record];
  const bool isByPlace = !earlier.lanes;
  const LaneMask earlierLanes = lanesOf(earlier, offset);
  LaneMask lanes =
      now.unordered(record, earlierLanes, isByPlace, earlierWrites);
  bool lacksProxyFence = false;
  if (lanes) {
    if (now.areBothStrong(record) ||
        (earlierWrites && isObserved(now, record, readers, offset)))
      return;
  } else {
    if (earlierWrites)
      lanes = now.unfenced(record, earlierLanes, isByPlace);
    if (!lanes)
      return;
    lacksProxyFence = true;
  }
  std::pair<uint32_t, bool> key{earlier.record, earlierWrites};
  if (std::find(now.told.begin(), now.told.end(), key) != now.told.end())
    return;
  now.told.push_back(key);
  // Of an access by several lanes at once, tell the lane that is not itself.
  if (LaneMask others = lanes & ~now.lanes;
      others && record.agent == now.accessor.agent)
    lanes = others;
  MemoryBlock::Conflict conflict;
  conflict.earlier.agent = record.agent;
  conflict.earlier.epoch = record.epoch;
  conflict.earlier.cta = record.cta;
  conflict.earlier.warp = record.warp;
  conflict.earlier.lane = static_cast<uint8_t>(std::countr_zero(lanes));
  conflict.earlier.asynchronous = record.asynchronous;
  conflict.earlier.isWrite = earlierWrites;
  conflict.earlier.scope = record.scope;
  conflict.earlier.instruction = record.instruction;
  conflict.offset = offset + std::countr_zero(unsigned(bytes & earlier.bytes));
  conflict.lacksProxyFence = lacksProxyFence;
  conflict.lane = static_cast<uint8_t>(std::countr_zero(now.lanes));
  now.onConflict(conflict);
}

/// The cell after the access to `bytes` of the word at `offset`; conflicts are
/// reported.
Shadow::Cell Shadow::after(Current &now, Cell cell, uint8_t bytes,
                           uint64_t offset) {
  if (bytes == wholeWord && quickly(now, cell, offset))
    return cell;

  SharedAccess single;
  for (const SharedAccess &write : expand(cell.write, single))
    if (write.bytes & bytes)
      check(now, write, true, cell.readers, bytes, offset);
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
    if (side == &cell.write)
      kept.push_back({now.record, now.isByPlace ? 0 : now.lanes, bytes});
    *side = compress(kept);
  }
  return cell;
}

void Shadow::addReader(Current &now, Cell &cell, uint8_t bytes,
                       uint64_t offset) {
  SharedAccess mine{now.record, now.isByPlace ? 0 : now.lanes, bytes};
  SharedAccess single;
  bool changed = false;
  kept.clear();
  for (SharedAccess reader : expand(cell.readers, single)) {
    if (reader == mine)
      return;
    const AccessRecord &record = records[reader.record];
    const bool isByPlace = !reader.lanes;
    if (reader.record == mine.record && reader.bytes == bytes && !isByPlace &&
        mine.lanes) {
      mine.lanes |= reader.lanes;
      changed = true;
      continue;
    }
    const LaneMask lanes = lanesOf(reader, offset);
    // Knowing a later epoch of the same lanes is to know the earlier one.
    bool isSuperseded = false;
    if (record.agent == now.accessor.agent) {
      isSuperseded =
          record.epoch <= now.accessor.epoch && !(lanes & ~now.lanes);
      now.dependsOnPlace |= !now.isSamePattern(record, isByPlace);
    }
    if ((reader.bytes & bytes) &&
        (isSuperseded || !now.unordered(record, lanes, isByPlace, false))) {
      reader.bytes &= ~bytes;
      changed = true;
    }
    if (reader.bytes)
      kept.push_back(reader);
  }
  if (kept.size() >= maxReaders && !changed)
    return;
  kept.push_back(mine);
  cell.readers = compress(kept);
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

void Shadow::access(AccessKind kind, uint64_t offset, uint64_t size,
                    LaneMask lanes, const Accessor &accessor,
                    const MemoryBlock::OnConflict &onConflict) {
  if (!size || !accessor.causality)
    return;
  if (records.size() + sets.size() > tableLimit)
    collect();
  AccessRecord record = recordOf(accessor);
  record.lanes = isOneLane(lanes) ? 0 : lanes;
  Current now(kind, accessor, onConflict, lanes, records.intern(record),
              /*isByPlace=*/false, 0);
  const uint64_t end = offset + size;
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
  Memo memo;
  if (first <= last)
    accessWords(now, memo, first, last);
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

/// Forgets records and sets that no cell refers to.
void Shadow::collect() {
  AccessRecords oldRecords;
  AccessSets oldSets;
  std::swap(oldRecords, records);
  std::swap(oldSets, sets);
  std::vector<uint32_t> movedSets;
  std::vector<SharedAccess> accesses;
  auto moveRecord = [&](uint32_t number) {
    return records.intern(oldRecords[number]);
  };
  auto move = [&](AccessReference &reference) {
    if (!(reference & setBit)) {
      if (reference)
        reference = moveRecord(reference >> laneBits) << laneBits |
                    (reference & laneCode);
      return;
    }
    uint32_t number = reference & ~setBit;
    if (number >= movedSets.size())
      movedSets.resize(number + 1);
    if (!movedSets[number]) {
      accesses.clear();
      for (SharedAccess access : oldSets[number]) {
        access.record = moveRecord(access.record);
        accesses.push_back(access);
      }
      movedSets[number] = sets.intern(accesses);
    }
    reference = setBit | movedSets[number];
  };
  for (auto &page : pages)
    for (uint64_t i = 0; page && i < pageWords; ++i) {
      move(page[i].write);
      move(page[i].readers);
    }
  // Seldom enough that the passes over the cells don't matter.
  tableLimit = std::max({size_t(1) << 16, 2 * (records.size() + sets.size()),
                         pagesInUse * pageWords / 4});
}

} // namespace ashlar::sim
