#include "runtime/sim/machine/races/ShadowTables.h"

#include <algorithm>

namespace ashlar::sim {
namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

uint64_t hashOf(const AccessRecord &record) {
  uint64_t hash = mix(uint64_t(record.agent.cluster) << 32 | record.agent.index,
                      uint64_t(record.epoch) << 32 | record.lanes);
  hash =
      mix(hash, uint64_t(record.cta) << 32 | uint32_t(record.warp) << 16 |
                    uint32_t(record.pattern) << 8 | record.asynchronous << 7 |
                    static_cast<unsigned>(record.scope));
  return mix(hash, reinterpret_cast<uintptr_t>(record.instruction));
}

uint64_t hashOf(std::span<const SharedAccess> accesses) {
  uint64_t hash = accesses.size();
  for (const SharedAccess &access : accesses)
    hash = mix(mix(hash, uint64_t(access.record) << 32 | access.lanes),
               access.bytes);
  return hash;
}

} // namespace

void InternIndex::place(Slot slot) {
  size_t at = slot.low & (slots.size() - 1);
  while (slots[at].number)
    at = (at + 1) & (slots.size() - 1);
  slots[at] = slot;
}

void InternIndex::insert(uint64_t hash, uint32_t number) {
  if (2 * (used + 1) > slots.size()) {
    std::vector<Slot> old(std::max<size_t>(64, 2 * slots.size()));
    old.swap(slots);
    for (const Slot &slot : old)
      if (slot.number)
        place(slot);
  }
  place(
      {static_cast<uint32_t>(hash), static_cast<uint32_t>(hash >> 32), number});
  ++used;
}

uint32_t AccessRecords::intern(const AccessRecord &record) {
  const auto place = reinterpret_cast<uintptr_t>(record.instruction);
  uint32_t &last = recent[(place >> 6 ^ place >> 10) % recent.size()];
  if (last && records[last] == record)
    return last;
  uint64_t hash = hashOf(record);
  uint32_t found = index.find(
      hash, [&](uint32_t number) { return records[number] == record; });
  if (!found) {
    found = static_cast<uint32_t>(records.size());
    records.push_back(record);
    index.insert(hash, found);
  }
  return last = found;
}

void AccessRecords::clear() {
  records.assign(1, {});
  index.clear();
  recent = {};
}

uint32_t AccessSets::intern(std::span<const SharedAccess> accesses) {
  uint64_t hash = hashOf(accesses);
  uint32_t found = index.find(hash, [&](uint32_t number) {
    return std::ranges::equal((*this)[number], accesses);
  });
  if (!found) {
    found = static_cast<uint32_t>(begins.size() - 1);
    pool.insert(pool.end(), accesses.begin(), accesses.end());
    begins.push_back(static_cast<uint32_t>(pool.size()));
    index.insert(hash, found);
  }
  return found;
}

void AccessSets::clear() {
  pool.clear();
  begins.assign(2, 0);
  index.clear();
}

} // namespace ashlar::sim
