// What the references in a Shadow's cells stand for.
#include "runtime/sim/machine/races/ShadowAccess.h"

#include <algorithm>

namespace ashlar::sim {

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
