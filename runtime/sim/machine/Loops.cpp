#include "runtime/sim/machine/Loops.h"

#include "runtime/sim/machine/Program.h"

#include <cstring>
#include <set>

namespace ashlar::sim {

void Strand::Snapshot::forget() {
  at = 0;
  registers.clear();
  polls.clear();
  executed.clear();
}

namespace {

/// Offsets of the registers on which hangs what the instructions do but for
/// computing registers.
std::set<uint32_t>
relevantRegisters(const std::vector<const Instruction *> &executed) {
  std::set<uint32_t> relevant;
  auto addSources = [&](const Instruction &each) {
    bool isNew = false;
    for (size_t i = 0; i < each.registers.size(); ++i)
      if (!each.writes(i))
        isNew |= relevant.insert(each.registers[i].offset).second;
    return isNew;
  };
  for (const Instruction *each : executed)
    if (!each->computes)
      addSources(*each);
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const Instruction *each : executed) {
      if (!each->computes)
        continue;
      for (size_t i = 0; i < each->registers.size(); ++i)
        if (each->writes(i) && relevant.contains(each->registers[i].offset))
          isNew |= addSources(*each);
    }
  }
  return relevant;
}

} // namespace

bool repeatsItself(Warp &warp, const std::byte *registers,
                   const Strand::Snapshot &snapshot) {
  const std::byte *before = snapshot.registers.data();
  if (std::memcmp(before, registers, snapshot.registers.size()) == 0)
    return true;
  const std::set<uint32_t> relevant = relevantRegisters(snapshot.executed);
  for (Slot slot : warp.currentFunction().slots) {
    const bool isPredicate = slot.laneBytes == 0;
    const size_t bytes =
        isPredicate ? sizeof(LaneMask) : size_t(slot.laneBytes) * warpLanes;
    if ((isPredicate || relevant.contains(slot.offset)) &&
        std::memcmp(before + slot.offset, registers + slot.offset, bytes) != 0)
      return false;
  }
  return true;
}

} // namespace ashlar::sim
