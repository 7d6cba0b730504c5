// The barriers of a CTA (bar, barrier) and of a cluster (barrier.cluster).
#pragma once

#include "runtime/sim/machine/Cluster.h"

#include <optional>
#include <string>

namespace ashlar::sim {

/// Lanes of a warp arrive at a named barrier of their CTA. `count` is the
/// number of threads that take part, none for all of the CTA; `predicates` are
/// the lanes' values for bar.red. Misuse ends the launch. The lanes that wait
/// go on when the barrier's generation is not what it was before.
void arriveAtBarrier(Warp &warp, LaneMask lanes, uint32_t id,
                     std::optional<uint32_t> count, NamedBarrier::Use use,
                     LaneMask predicates = 0);

/// "waits at barrier 1: 64 of 128 threads have arrived: ...".
std::string describeBarrier(const Cta &cta, uint32_t id);
/// Why it may never complete.
Wait::Cause causeAtBarrier(const Cta &cta, uint32_t id);

/// A thread's part in the cluster barrier: an arrival for which it has not
/// waited yet, and the generation it belongs to.
struct ClusterBarrierArrivals {
  LaneMask lanes = 0;
  std::array<uint64_t, warpLanes> generation{};
};

/// barrier.cluster.arrive: a second arrival before the wait ends the launch.
void arriveAtClusterBarrier(Warp &warp, LaneMask lanes, bool release);
std::string describeClusterBarrier(const Cluster &cluster);
Wait::Cause causeAtClusterBarrier(const Cluster &cluster);

/// Threads have exited (Warp::live and Cta::liveThreads are without them):
/// barriers that wait for all threads that are left may be complete.
void noteExit(Warp &warp, LaneMask lanes);

} // namespace ashlar::sim
