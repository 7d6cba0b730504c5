// What an access does to a word that others have accessed in other ways than
// the normal one: conflicts, and several readers.
#include "runtime/sim/machine/races/ShadowAccess.h"

#include <algorithm>

namespace ashlar::sim {

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

bool Shadow::check(Current &now, const SharedAccess &earlier,
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
      return false;
    if (earlierWrites &&
        now.writesTheSame(record, bytes & earlier.bytes, offset))
      return true;
  } else {
    lanes = now.unfenced(record, earlierLanes, isByPlace);
    if (!lanes)
      return false;
    lacksProxyFence = true;
  }
  std::pair<uint32_t, bool> key{earlier.record, earlierWrites};
  if (std::find(now.told.begin(), now.told.end(), key) != now.told.end())
    return false;
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
  return false;
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

} // namespace ashlar::sim
