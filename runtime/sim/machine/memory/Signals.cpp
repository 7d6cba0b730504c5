#include "runtime/sim/machine/memory/Signals.h"

#include <algorithm>

namespace ashlar::sim {

uint64_t Signals::keyOf(const MemoryBlock &block, uint64_t offset) {
  if (block.kind != MemoryBlock::Kind::shared)
    return block.address + offset;
  constexpr uint64_t isShared = uint64_t(1) << 63;
  constexpr unsigned offsetBits = 24;
  return isShared | uint64_t(block.cta) << offsetBits | offset;
}

void Signals::note(uint64_t key, const Change &change) {
  // A kernel with more counters than this is not told where each was changed.
  constexpr size_t mostKeys = 1 << 16;
  ++executed[change.instruction];
  if (changes.size() >= mostKeys && !changes.contains(key))
    return;
  std::vector<Change> &there = changes[key];
  auto known =
      std::ranges::find(there, change.instruction, &Change::instruction);
  if (known == there.end())
    known = there.insert(there.end(), change);
  const uint64_t count = known->count + 1;
  *known = change;
  known->count = count;
}

std::span<const Signals::Change> Signals::at(uint64_t key) const {
  auto found = changes.find(key);
  if (found == changes.end())
    return {};
  return found->second;
}

uint64_t Signals::executions(const Instruction *instruction) const {
  auto found = executed.find(instruction);
  return found == executed.end() ? 0 : found->second;
}

} // namespace ashlar::sim
