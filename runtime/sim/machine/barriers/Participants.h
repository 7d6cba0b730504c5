// What warps have done with an mbarrier, for reports: who arrives on it, who
// waits on it, and which barrier gives back what is filled under another.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace ashlar::sim {

class Cluster;
class Instruction;
class Warp;
struct Mbarrier;

struct Participant {
  uint32_t cta = 0, warp = 0; // as in Accessor
  /// The latest phase in which it arrived or expected bytes.
  std::optional<uint32_t> arrivedIn;
  uint32_t arrivals = 0; // phases in which it did
  /// How many phases had completed when it last passed a wait, and where.
  std::optional<uint32_t> passed;
  const Instruction *passedAt = nullptr;
  uint32_t passes = 0; // of different phases
  /// It has passed a wait before any phase was complete, as whoever fills a
  /// stage does at first.
  bool passedAtStart = false;
};

using Participants = std::vector<Participant>;

/// A thread of the warp arrives on the barrier or expects bytes on it.
void noteArrival(Warp &warp, Mbarrier &barrier);
/// A thread of the warp has passed a wait on it.
void notePass(Warp &warp, Mbarrier &barrier);

/// Null when the warp has done nothing with the barrier.
const Participant *participant(const Mbarrier &barrier, uint32_t cta,
                               uint32_t warp);

/// The barrier on the other side of a stage: of the full barrier the empty one,
/// and of the empty one the full one. By the notes in the PTX; without them by
/// what warps do, as they wait at one before they arrive at the other.
struct Partner {
  const Mbarrier *barrier = nullptr; // null: not known
  std::optional<bool> isFull;        // of the partner, where that is known
  bool isTold = false; // by the compiler, which has chosen the parities
};
Partner partnerOf(const Mbarrier &barrier);

} // namespace ashlar::sim
