// What the cells of a Shadow refer to: records of accesses, and sets of them.
#pragma once

#include "runtime/sim/machine/memory/Memory.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ashlar::sim {

/// Accesses of one instruction in one epoch of an agent. Which lane made one
/// is told by who refers to the record.
struct AccessRecord {
  AgentId agent;
  Epoch epoch = 0;
  uint32_t cta = 0;
  LaneMask lanes = 0; // those that made it together; see AccessReference
  uint8_t warp = 0;
  bool asynchronous = false;
  Scope scope = Scope::weak;
  /// Where neighbouring lanes access neighbouring elements, the place tells
  /// the lane: the elements' size as a power of two in 3 bits, then the number
  /// of the element (modulo 32) that lane 0 accesses.
  uint8_t pattern = 0;
  const Instruction *instruction = nullptr;
  bool operator==(const AccessRecord &) const = default;

  static uint8_t patternOf(unsigned sizeLog, uint64_t offsetOfLane0) {
    return static_cast<uint8_t>(sizeLog | (offsetOfLane0 >> sizeLog & 31) << 3);
  }
  LaneMask laneAt(uint64_t offset) const {
    return 1u << (((offset >> (pattern & 7)) - (pattern >> 3)) & 31);
  }
};

/// Some bytes of a word, accessed by some lanes of a record.
struct SharedAccess {
  uint32_t record = 0;
  LaneMask lanes = 0; // 0: the one that the place tells
  uint8_t bytes = 0;  // one bit a byte, 0xf for the word
  bool operator==(const SharedAccess &) const = default;
};

/// Keeps each different value once, under a number from 1 on. `Store` says
/// what a number stands for: `hash(number)` and `equals(number, value)`.
class InternIndex {
public:
  template <class Equals>
  uint32_t find(uint64_t hash, const Equals &equals) const {
    if (slots.empty())
      return 0;
    for (size_t at = hash & (slots.size() - 1); slots[at].number;
         at = (at + 1) & (slots.size() - 1))
      if (slots[at].hash == static_cast<uint32_t>(hash >> 32) &&
          equals(slots[at].number))
        return slots[at].number;
    return 0;
  }
  /// `hashOf(number)` gives the hashes again when the table grows.
  void insert(uint64_t hash, uint32_t number);
  void clear() {
    slots.clear();
    used = 0;
  }

private:
  struct Slot {
    uint32_t low = 0, hash = 0, number = 0;
  };
  void place(Slot slot);
  std::vector<Slot> slots; // a power of two of them, at most half in use
  size_t used = 0;
};

/// The records of a shadow.
class AccessRecords {
public:
  uint32_t intern(const AccessRecord &record);
  const AccessRecord &operator[](uint32_t number) const {
    return records[number];
  }
  size_t size() const { return records.size() - 1; }
  void clear();

private:
  std::vector<AccessRecord> records{1}; // number 0 is none
  InternIndex index;
  /// Those of a few instructions, which are executed again and again.
  std::array<uint32_t, 16> recent{};
};

/// Sets of accesses to one word: the writes it holds, or its readers.
class AccessSets {
public:
  uint32_t intern(std::span<const SharedAccess> accesses);
  std::span<const SharedAccess> operator[](uint32_t number) const {
    return {&pool[begins[number]], begins[number + 1] - begins[number]};
  }
  size_t size() const { return pool.size(); }
  void clear();

private:
  std::vector<SharedAccess> pool;
  std::vector<uint32_t> begins{0, 0}; // number 0 is the empty set
  InternIndex index;
};

} // namespace ashlar::sim
