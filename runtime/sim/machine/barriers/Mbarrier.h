// The mbarrier object (PTX ISA, "Parallel Synchronization: mbarrier").
#pragma once

#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/barriers/Participants.h"
#include "runtime/sim/machine/memory/Memory.h"
#include "runtime/sim/machine/races/Clock.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ashlar::sim {

class Cluster;
class Cta;

/// One initialised mbarrier. What a phase's arrivals published is kept for the
/// current phase and for the one before it, which waiters acquire.
struct Mbarrier {
  static constexpr uint32_t maxCount = (1u << 20) - 1;
  static constexpr int32_t maxTransactions = (1 << 20) - 1;
  static constexpr uint32_t sizeBytes = 8; // and its alignment

  Cta *cta = nullptr;
  uint32_t offset = 0;          // in its CTA's shared window
  uint32_t expected = 0;        // arrivals that each phase needs
  uint32_t pending = 0;         // arrivals that the current phase still needs
  int64_t transactionBytes = 0; // expected minus completed
  uint32_t phase = 0;           // completed phases: the parity is phase & 1
  uint64_t version = 0;         // grows at each change, for Wait::version
  AgentId agent; // the copies that complete on it; their epoch is phase + 1
  /// Published in this phase, and in those before it: arrivals of consecutive
  /// phases are read-modify-writes of one object, so that observing the later
  /// ones observes the earlier. `completed` knows the copies' agent as well.
  Causality arrived, completed;

  // For reports and for the check that the initialisation is visible.
  Accessor initialisedBy;             // its causality is null
  bool visibleToAsynchronous = false; // by fence.mbarrier_init
  /// Cluster barriers that had completed then: one more orders all threads of
  /// the cluster after the initialisation, even by a relaxed arrival.
  uint64_t fencedAtGeneration = 0;
  bool isFenced = false;
  uint32_t arrivedCount = 0; // arrivals of the current phase
  int64_t expectedBytes = 0, completedBytes = 0; // of the current phase

  struct Event {
    enum class Kind : uint8_t { arrival, drop, expect, complete };
    Kind kind = Kind::arrival;
    int64_t amount = 0; // of arrivals or bytes
    Accessor by;        // its causality is null
  };
  std::vector<Event> recent;   // of the current phase: at most 32
  std::vector<Event> previous; // of the phase before
  Participants participants;
  /// The barrier at which who arrives on this one has passed a wait before.
  std::optional<uint32_t> acquiredThrough;
  int64_t previousExpectedBytes = 0;

  /// As shared::cluster address.
  uint32_t address() const;
  /// Ends the phase if nothing is pending; true when it ended.
  bool completeIfDone();
  /// Whether the phase with this parity has completed: the current, incomplete
  /// one has the parity phase & 1, the one before it the other.
  bool hasCompleted(uint32_t parity) const { return (phase & 1) != parity; }
};

/// The mbarriers of a CTA's shared memory, by address.
using Mbarriers = std::map<uint32_t, Mbarrier>;

// What threads and engines do to mbarriers, with all checks of misuse. Each
// reports (Finding::mbarrierMisuse) with the sites of `by` and of whoever
// initialised the barrier, and ends the launch where no sense is left.
//
// An engine looks the barrier up with useMbarrier again for each signal: it
// may have been invalidated since. What a copy writes it labels with
// Mbarrier::agent and epoch phase + 1; the phase can't end before its
// completeTransactions, as long as the bytes were expected.

/// The barrier at a shared::cluster address (rank and offset), checked:
/// aligned, initialised, its CTA still there, the initialisation ordered before
/// this use (by.causality; where it is null the check is left out) and, for an
/// asynchronous `by`, visible to the asynchronous proxy. `did` is what the
/// report says of it: "arrives on it". Throws LaunchStopped when there is no
/// barrier.
Mbarrier &useMbarrier(Cluster &cluster, uint32_t sharedAddress,
                      const Accessor &by, const std::string &did);

/// mbarrier.init and mbarrier.inval by a thread, on its own CTA's memory.
void initialiseMbarrier(Cta &cta, uint32_t offset, uint32_t count,
                        const Accessor &by);
void invalidateMbarrier(Cta &cta, uint32_t offset, const Accessor &by);

/// An arrive-on operation with `count`. The caller has joined what it publishes
/// into barrier.arrived beforehand (Warp::release into it). `drop` lowers what
/// the later phases expect; `noComplete` makes it a finding that the phase
/// ends. The result is the state token: see MbarrierToken.
uint64_t arrive(Mbarrier &barrier, const Accessor &by, uint32_t count,
                bool drop = false, bool noComplete = false);

/// expect-tx: the phase waits for `bytes` more.
void expectTransactions(Mbarrier &barrier, const Accessor &by, int64_t bytes);

/// complete-tx: `bytes` have landed; they may come before they are expected.
/// Copies publish themselves by their label, nothing else.
void completeTransactions(Mbarrier &barrier, const Accessor &by, int64_t bytes);

/// cp.async.mbarrier.arrive without .noinc: one more pending arrival of the
/// current phase, which the arrival that it triggers takes away.
void addPending(Mbarrier &barrier, const Accessor &by, uint32_t count);

/// The 64-bit state that arrive returns; its layout is ours (PTX leaves it
/// open): the pending count before the arrival in bits 0 to 19, the expected
/// count in bits 20 to 39, the low 24 bits of the phase above.
struct MbarrierToken {
  uint32_t pending = 0, expected = 0, phase = 0;
  static constexpr uint32_t phaseMask = (1u << 24) - 1;
  explicit MbarrierToken(uint64_t state)
      : pending(state & Mbarrier::maxCount),
        expected(state >> 20 & Mbarrier::maxCount), phase(state >> 40) {}
  explicit MbarrierToken(const Mbarrier &barrier)
      : pending(barrier.pending), expected(barrier.expected),
        phase(barrier.phase & phaseMask) {}
  uint64_t state() const {
    return uint64_t(pending) | uint64_t(expected) << 20 | uint64_t(phase) << 40;
  }
};

/// fence.mbarrier_init: the barriers that the lanes of the warp initialised are
/// visible to the asynchronous proxy.
void fenceInitialisations(Cta &cta, uint32_t warp, LaneMask lanes);

// For deadlock reports.

/// Whether the lanes are blocked in a wait on the barrier.
inline bool waitsOn(const Strand &strand, const Mbarrier &barrier) {
  return strand.blocked && strand.wait.version == &barrier.version;
}
/// Whether any lanes are.
bool isWaitedOn(const Mbarrier &barrier);

/// "waits for phase 3 (parity 1) of the mbarrier at stage 1 of ... : 1 of 2
/// arrivals and 16384 of 32768 bytes have come; arrived: ...".
std::string describeWaitOn(const Mbarrier &barrier, uint32_t parity);
/// The likeliest reason why the phase does not end, for which a thread waits
/// with this parity.
Wait::Cause nearestCause(const Mbarrier &barrier, uint32_t parity);

} // namespace ashlar::sim
