// A cluster of CTAs while it runs: its warps, its shared memories, its
// asynchronous operations, and the schedule among them.
#pragma once

#include "runtime/sim/machine/Asynchronous.h"
#include "runtime/sim/machine/Schedule.h"
#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/barriers/Mbarrier.h"
#include "runtime/sim/machine/memory/Memory.h"
#include "runtime/sim/machine/races/Publications.h"

#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::sim {

class Launch;
class Trace;
struct Traffic;

/// Windows of the generic address space.
inline constexpr uint64_t sharedWindow = 0x0001'0000'0000'0000;
inline constexpr uint64_t localWindow = 0x0002'0000'0000'0000;
inline constexpr uint64_t parameterWindow = 0x0003'0000'0000'0000;
inline constexpr uint64_t windowBytes = uint64_t(1) << 32;
/// A shared::cluster address is the CTA's rank in the cluster, shifted by
/// this, plus the offset in its shared window, as on the hardware.
inline constexpr unsigned sharedRankShift = 24;
/// The first bytes of each shared window belong to the system.
inline constexpr uint32_t reservedSharedBytes = 1024;

/// A named barrier of a CTA (bar, barrier).
struct NamedBarrier {
  uint32_t expectedThreads = 0; // 0: nobody has arrived
  uint32_t arrivedThreads = 0;
  uint64_t generation = 0; // completed so far
  Causality published, completed;
  // bar.red
  uint32_t count = 0;
  bool conjunction = true, disjunction = false;
  uint32_t resultCount = 0;
  bool resultConjunction = true, resultDisjunction = false;
  struct Arrival {
    uint32_t warp = 0;
    const Instruction *instruction = nullptr;
  };
  std::vector<Arrival> arrivals; // of this generation
  /// The lanes of each warp that have arrived in this generation.
  std::vector<LaneMask> arrived;
  /// No count was given: all threads of the CTA that have not exited.
  bool everybody = false;
  enum class Use : uint8_t { sync, arrive, count, conjunction, disjunction };
  Use use = Use::sync;  // of this generation: sync stands for arrive too
  uint64_t version = 0; // for Wait::version
  uint32_t previousThreads = 0; // that the generation before waited for
};

class Cta {
public:
  Cta(Cluster &cluster, uint32_t rank, uint32_t linear, uint32_t x, uint32_t y,
      uint32_t z);

  Cluster &cluster;
  const uint32_t rank;    // in the cluster
  const uint32_t linear;  // in the grid
  const uint32_t x, y, z; // %ctaid
  uint32_t liveThreads = 0;
  bool exited() const { return liveThreads == 0; }

  std::unique_ptr<MemoryBlock> shared; // the whole window, offsets = addresses
  std::vector<std::unique_ptr<MemoryBlock>> local; // a thread's, when used
  /// As large as the thread's frames are.
  MemoryBlock &localOf(uint32_t thread);
  Mbarriers mbarriers;
  /// What strong accesses to the shared memory have published, by offset.
  Publications publications;
  std::array<NamedBarrier, 16> barriers;
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t registersFree = 0; // of the pool that setmaxnreg draws on
  std::string name() const;   // "CTA (0,0,0)"
};

/// Where an address of a space leads.
struct Location {
  MemoryBlock *block = nullptr; // null: nowhere
  uint64_t offset = 0;
};

class Cluster {
public:
  /// Cluster number `index` of the launch, in the order of the grid.
  Cluster(Launch &launch, uint32_t index);
  ~Cluster();

  Launch &launch;
  const uint32_t index;
  Schedule schedule;
  std::vector<std::unique_ptr<Cta>> ctas; // by rank

  /// Runs until all threads have exited (Finished), or until nothing in this
  /// cluster can go on without another cluster (Stalled), or, while other
  /// clusters want a turn, after `budget` steps or when the launch is over
  /// (Paused). Throws LaunchStopped
  /// when a finding ends the launch.
  enum class Outcome : uint8_t { finished, stalled, paused };
  Outcome run(uint64_t budget);

  /// Something happened for which others may wait (a store, an arrival, a copy
  /// that landed): what was stalled is tried again.
  void noteProgress();
  uint64_t changes = 0;

  /// Hands an operation to the schedule. It is finished before the cluster
  /// ends.
  void issue(std::shared_ptr<AsynchronousOperation> operation);
  /// The operations under way, oldest first.
  std::list<std::shared_ptr<AsynchronousOperation>> operations;

  /// A new agent of this cluster.
  AgentId newAgent();
  /// The cluster barrier.
  struct Barrier {
    uint32_t arrivedThreads = 0;
    uint64_t generation = 0, version = 0;
    Causality published, completed;
  } barrier;

  /// Resolves `address` of the space for a thread of `cta` (its linear thread
  /// number matters for local memory). Bounds are the caller's to check with
  /// MemoryBlock::contains.
  Location locate(Cta &cta, uint32_t thread, ptx::StateSpace space,
                  uint64_t address);
  /// The mbarrier at a shared::cluster address; null when there is none.
  Mbarrier *mbarrierAt(uint32_t sharedAddress);
  Cta *ctaOfShared(uint32_t sharedAddress);

  /// Copies that engines make: locates, checks bounds, initialisation and
  /// races for the accessor, and copies. `what` completes a report, as in
  /// "the TMA load reads". Locks global memory.
  void read(const Location &from, uint64_t sizeBytes, const Accessor &accessor,
            void *out, const std::string &what);
  void write(const Location &to, uint64_t sizeBytes, const Accessor &accessor,
             const void *bytes, const std::string &what);
  void modify(const Location &at, uint64_t sizeBytes, const Accessor &accessor,
              const std::function<void(uint8_t *)> &change,
              const std::string &what);

  /// Reports bytes of a stage that an earlier round left there.
  void checkStale(MemoryBlock &block, std::span<const Stretch> stretches,
                  const Accessor &accessor, std::string_view did);
  /// Reports a race that a MemoryBlock found.
  void reportConflict(MemoryBlock &block, const MemoryBlock::Conflict &conflict,
                      const Accessor &accessor, AccessKind kind);
  /// Reports that the accessor has read bytes of a stage too early, if its wait
  /// on the stage's full barrier is why; false if that is not known.
  bool reportEarlyRead(MemoryBlock &block, uint64_t offset,
                       const Accessor &accessor, const std::string &did);
  /// Null when there is no such warp in the cluster.
  Warp *warpOf(uint32_t cta, uint32_t warp);
  /// Who stands behind an access: "role 'load', warp 8 of CTA (0,0,0)".
  std::string who(uint32_t cta, uint32_t warp, int lane) const;
  Site site(const Accessor &accessor, std::string did) const;
  /// "stage 1 of pipeline 'ring', part 'A' (shared+16384)" where notes in the
  /// PTX tell, else "shared+16384".
  std::string describeShared(uint32_t sharedAddress) const;

  uint64_t clock = 0; // %clock: grows with executed instructions
  /// Of the clock: what was none, as an attempt that had to wait.
  uint64_t otherTicks = 0;
  /// What it moves; null where nobody asks.
  std::unique_ptr<Traffic> traffic;
  /// Adds what was executed since the last call to the launch's progress.
  void countInstructions();

private:
  void landOperations();
  void proceed(AsynchronousOperation &operation);
  void proceedOne();
  Warp *chooseWarp();
  bool expireWaits();
  bool anySpinning() const;
  void finishOperations();
  uint32_t nextQuantum();
  std::vector<Warp *> warps; // of all CTAs
  uint64_t executed = 0;     // instructions
  uint64_t told = 0;         // of the progress
  uint32_t agents = 0;       // how many there are
  uint32_t lastWarp = 0;
  uint32_t expiries = 0; // of waits, since something changed
  uint64_t changesAtExpiry = 0;
};

/// Reports where each thread of the clusters stands, as the time of the launch
/// is up. `unstarted` clusters have not begun.
[[noreturn]] void reportTimeLimit(Launch &launch,
                                  std::span<Cluster *const> clusters,
                                  size_t unstarted);

/// Reports what each thread of the clusters waits for, as nothing can go on,
/// and from which wait the others follow.
[[noreturn]] void reportDeadlock(Launch &launch,
                                 std::span<Cluster *const> clusters);

} // namespace ashlar::sim
