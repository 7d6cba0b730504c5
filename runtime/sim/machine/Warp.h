// A warp: 32 threads, their registers and where they stand.
#pragma once

#include "runtime/sim/machine/Instruction.h"
#include "runtime/sim/machine/Report.h"
#include "runtime/sim/machine/memory/Memory.h"
#include "runtime/sim/machine/races/Clock.h"

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ashlar::sim {

class Cta;
class Cluster;
struct AddressOperand;
struct Function;
struct Program;
namespace ptx {
enum class SpecialRegister : uint8_t;
}

/// One address per lane.
using LaneAddresses = std::array<uint64_t, warpLanes>;

/// An access to memory in a loop that waits for a change.
struct Poll {
  const Instruction *instruction = nullptr;
  LaneMask lanes = 0;
  ptx::StateSpace space = ptx::StateSpace::generic;
  LaneAddresses addresses{};
  unsigned sizeBytes = 0;
};

/// What a blocked group of lanes waits for.
struct Wait {
  /// "waits for phase 1 of the mbarrier at shared+196608"; evaluated for a
  /// report only.
  std::function<std::string()> describe;
  /// Why it may never come, for the same reports, and how likely this wait is
  /// to be the root of a deadlock: the greatest is told first.
  struct Cause {
    enum Likelihood {
      none,         // it is what follows from another wait
      noArrival,    // nothing is known of who should arrive
      someArrivals, // some have arrived
      wentPast,     // who should arrive has gone on without
      leftEarly,    // who should arrive has exited
      wrongBytes,
      noRegisters
    };
    Likelihood likelihood = none;
    std::string sentence;
    std::vector<const Warp *> from = {}; // on whom it waits, if that is known
  };
  std::function<Cause()> cause;
  /// The lanes try again when `*version` differs from `seen` (version null:
  /// whenever anything in the cluster changed).
  const uint64_t *version = nullptr;
  uint64_t seen = 0;
  /// The instruction may give up waiting (mbarrier.try_wait, nanosleep): when
  /// nothing else in the cluster can go on, it is executed again with
  /// Warp::timedOut set.
  bool mayTimeOut = false;
};

/// Lanes of a warp that stand at the same instruction with the same calls
/// behind them.
struct Strand {
  LaneMask lanes = 0;
  uint32_t at = 0;
  const Function *function = nullptr;
  struct Call {
    const Function *caller = nullptr;
    uint32_t returnTo = 0;
    const void *site = nullptr; // the call instruction
    /// Registers of the callee as they were, when it was already running.
    std::shared_ptr<std::vector<std::byte>> saved;
    bool operator==(const Call &other) const {
      return caller == other.caller && returnTo == other.returnTo &&
             saved == other.saved;
    }
  };
  std::vector<Call> calls;
  bool blocked = false;
  Wait wait;
  /// The state when it last jumped back, to recognise a loop that waits for
  /// something by looking again and again.
  struct Snapshot;
  std::shared_ptr<Snapshot> snapshot;
  bool spinning = false;      // it repeats itself until something changes
  uint64_t spinningSince = 0; // Launch::changes then
  std::vector<Poll> polls;    // what it looks at
};

/// How lanes of a warp are ordered with respect to each other and to others:
/// see Clock.h. Defined in Warp.cpp.
class Warp {
public:
  Warp(Cta &cta, uint32_t index, uint32_t threads, const Program &program,
       const Function &kernel);
  ~Warp();

  Cta &cta;
  Cluster &cluster;
  const uint32_t index;    // in the CTA
  const LaneMask existing; // lanes that exist
  LaneMask live;           // lanes that have not exited

  // --- registers ---------------------------------------------------------
  /// The 32 values of a slot.
  template <class T> T *lanes(Slot slot) {
    return reinterpret_cast<T *>(registerFile + slot.offset);
  }
  LaneMask &predicate(Slot slot) { return *lanes<LaneMask>(slot); }
  /// A value as a bit pattern, whatever the slot's width (up to 8 bytes).
  uint64_t bits(Slot slot, unsigned lane);
  void setBits(Slot slot, unsigned lane, uint64_t value);
  void setPredicate(Slot slot, LaneMask active, LaneMask value) {
    LaneMask &target = predicate(slot);
    target = (target & ~active) | (value & active);
  }

  // --- control -----------------------------------------------------------
  /// The instruction that is executed, and its strand.
  const Instruction *current = nullptr;
  MemoryBlock *readOnlyBlock = nullptr; // that it read last
  bool timedOut = false;
  /// For Step::blocked: what the lanes wait for.
  Step waitFor(Wait wait);
  /// The lanes look whether that has happened, and go on in any case.
  void lookFor(Wait wait) { strand->wait = std::move(wait); }
  /// For Step::moved: the lanes go on at another instruction of the function.
  void jump(LaneMask lanes, uint32_t target);
  /// Each lane of `lanes` to its own target.
  void jump(LaneMask lanes, const std::array<uint32_t, warpLanes> &targets);
  void call(LaneMask lanes, const Function &callee, const void *site);
  void returnFromCall(LaneMask lanes);
  void exitLanes(LaneMask lanes);
  /// Lanes that stay at the current instruction, to execute it later, while
  /// the others go on.
  void leaveBehind(LaneMask lanes);
  /// The call instruction that the lanes will return to; null in the kernel.
  const void *callSite() const;
  const Function &currentFunction() const { return *strand->function; }
  /// Waits until all lanes in `members` that have not exited are at the same
  /// instruction: true when `active` holds them all, else blocks (the caller
  /// returns Step::blocked).
  bool gather(LaneMask active, LaneMask members);
  /// Top of each thread's local memory: calls and alloca move it.
  std::array<uint32_t, warpLanes> localTop{};

  // --- ordering ----------------------------------------------------------
  /// The warp is an agent of its own; its epoch grows at each release.
  AgentId agent() const;
  Epoch epoch() const { return currentEpoch; }
  /// What the lane knows, its own past included.
  Causality &causality(unsigned lane);
  /// What a release by the lanes publishes: joins it into `into`, and starts a
  /// new epoch.
  void release(LaneMask lanes, Causality &into);
  /// The lanes learn what was published.
  void acquire(LaneMask lanes, const Causality &from);
  /// The relaxed counterparts: publishes what the lanes' last fence prepared;
  /// what is observed is learned at their next fence.
  void releaseRelaxed(LaneMask lanes, Causality &into);
  void acquireRelaxed(LaneMask lanes, const Causality &from);
  /// The lanes learn of an agent's epoch (a group of copies that completed).
  void acquire(LaneMask lanes, AgentId agent, Epoch epoch, LaneMask ofLanes);
  /// Orders the lanes among each other, as bar.warp.sync does.
  void synchroniseLanes(LaneMask lanes);
  /// fence.proxy.async by the lanes.
  void fenceProxy(LaneMask lanes);
  /// fence.proxy.tensormap by the lanes: .release, and .acquire of the map at a
  /// generic address.
  void releaseTensorMaps(LaneMask lanes);
  void acquireTensorMap(LaneMask lanes, uint64_t address);
  /// fence.{sc,acq_rel} and membar by the lanes, and strong accesses to global
  /// or shared memory by which threads synchronise: a strong write publishes
  /// what a fence (or its own release) has prepared; a strong read learns it,
  /// at once (acquire) or at the next fence.
  void fence(LaneMask lanes);
  /// The order of strong accesses at the lanes' addresses, after the accesses
  /// themselves (see Publications.h): a write publishes, a read learns. The
  /// caller holds the lock of global memory from the access on.
  void publish(LaneMask lanes, ptx::StateSpace space,
               const LaneAddresses &addresses, Order order,
               bool readModifyWrite);
  void observe(LaneMask lanes, ptx::StateSpace space,
               const LaneAddresses &addresses, Order order);
  /// An accessor for what this lane does now.
  Accessor accessor(unsigned lane, Scope scope = Scope::weak);

  // --- memory ------------------------------------------------------------
  /// Loads `sizeBytes` per lane to `out + lane * strideBytes`, or stores from
  /// there. Checks bounds, alignment (to sizeBytes, or as given),
  /// initialisation and races. `space` generic: each lane's address says.
  void load(LaneMask active, ptx::StateSpace space,
            const LaneAddresses &addresses, unsigned sizeBytes, void *out,
            unsigned strideBytes, Scope scope = Scope::weak);
  void store(LaneMask active, ptx::StateSpace space,
             const LaneAddresses &addresses, unsigned sizeBytes,
             const void *values, unsigned strideBytes,
             Scope scope = Scope::weak);
  /// Reads, changes and writes back one lane's value under the lock of the
  /// memory: `change` gets the old bytes and overwrites them with the new.
  void modify(unsigned lane, ptx::StateSpace space, uint64_t address,
              unsigned sizeBytes, Scope scope,
              const std::function<void(uint8_t *)> &change);
  /// Computes addresses of an operand (base register plus offset).
  LaneAddresses addresses(LaneMask active, const AddressOperand &);

  // --- reports -----------------------------------------------------------
  /// "role 'load', warp 8 of CTA (0,0,0)", with the lane where it matters.
  std::string who(int lane = -1) const;
  /// A site of the current instruction.
  Site site(std::string did, int lane = -1) const;
  /// Reports and goes on; does so where what the launch computes does not
  /// depend on it; reports and ends the launch.
  void report(Finding finding, std::string sentence, std::string did,
              int lane = -1);
  void reportHarmless(Finding finding, std::string sentence, std::string did,
                      int lane = -1, std::vector<Site> others = {});
  [[noreturn]] void stop(Finding finding, std::string sentence, std::string did,
                         int lane = -1);

  // --- asynchronous groups ----------------------------------------------
  /// State of the families, made when first asked for: wgmma groups, cp.async
  /// groups, bulk groups. `Key` is the type; one object per warp.
  template <class State> State &state() {
    for (auto &[key, object] : states)
      if (key == &keyOf<State>)
        return *static_cast<State *>(object.get());
    auto made = std::make_shared<State>();
    states.push_back({&keyOf<State>, made});
    return *made;
  }
  /// The registers that an asynchronous operation (wgmma) uses now: reading
  /// (mayRead false) or writing them is a finding. Called by the wgmma family.
  struct OwnedRegisters {
    uint32_t begin = 0, end = 0; // offsets in the register file
    bool mayRead = false;        // A operands may be read, not written
    const Instruction *owner = nullptr;
  };
  std::vector<OwnedRegisters> owned;

  /// Called when the last lane has exited, for findings of what was left
  /// unfinished: the families add theirs when they make their state.
  std::vector<std::function<void(Warp &)>> exitChecks;

  std::vector<std::unique_ptr<Strand>> strands;
  uint64_t executed = 0; // instructions

  /// The accesses of a loop that is looked at, while it is; null else.
  std::vector<Poll> *polls = nullptr;

private:
  friend class WarpRunner;
  void notePoll(LaneMask lanes, ptx::StateSpace space,
                const LaneAddresses &addresses, unsigned sizeBytes);
  /// Where the lanes access local memory, or read what is only read: nothing
  /// else accesses it meanwhile, so that nothing is to be tracked. False
  /// for any other access, and for one that is out of bounds or misaligned.
  using UncheckedPlaces = std::array<uint8_t *, warpLanes>;
  bool findUnchecked(LaneMask active, ptx::StateSpace space,
                     const LaneAddresses &addresses, unsigned sizeBytes,
                     bool writes, UncheckedPlaces &places);
  void noteSignals(LaneMask lanes, ptx::StateSpace space,
                   const LaneAddresses &addresses);
  void fillConstants();
  void fillSpecials();
  uint64_t specialValue(ptx::SpecialRegister which, unsigned component,
                        unsigned lane) const;
  void enterFrame(LaneMask lanes, const Function &function);
  std::unique_ptr<Strand> split(LaneMask lanes);
  template <class State> static inline const char keyOf = 0;
  std::vector<std::pair<const char *, std::shared_ptr<void>>> states;
  std::byte *registerFile = nullptr;
  Zeros<std::byte> registerStorage; // a kernel uses a part of it
  size_t registerBytes = 0;
  Strand *strand = nullptr;   // the one that executes
  uint64_t strandChanges = 0; // merges and exits, for gather
  Epoch currentEpoch = 1;
  struct Ordering;
  std::unique_ptr<Ordering> ordering;
};

} // namespace ashlar::sim
