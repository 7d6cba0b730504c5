// Who changes memory by strong stores and atomic operations, by address: for
// reports of threads that wait for a change.
#pragma once

#include "runtime/sim/machine/memory/Memory.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace ashlar::sim {

class Signals {
public:
  struct Change {
    const Instruction *instruction = nullptr;
    uint64_t count = 0;
    uint32_t cta = 0, warp = 0; // the last to do so
    uint8_t lane = 0;
  };
  /// What identifies a byte of global or shared memory.
  static uint64_t keyOf(const MemoryBlock &block, uint64_t offset);

  void note(uint64_t key, const Change &change);
  /// By instruction, in the order in which each came first.
  std::span<const Change> at(uint64_t key) const;
  /// How often lanes have executed the instruction.
  uint64_t executions(const Instruction *instruction) const;

private:
  std::unordered_map<const Instruction *, uint64_t> executed;
  std::unordered_map<uint64_t, std::vector<Change>> changes;
};

} // namespace ashlar::sim
