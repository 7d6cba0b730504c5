// cp.async: copies of 4 to 16 bytes by each thread, and their groups (PTX ISA,
// "cp.async", "cp.async.wait_group", "cp.async.mbarrier.arrive").
//
// They are asynchronous, but of the generic proxy: what they write may be read
// by ordinary loads without a proxy fence, not by TMA or wgmma.
#pragma once

#include "runtime/sim/machine/Cluster.h"

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::sim {

/// What the lanes of a warp copy by one instruction.
class ThreadCopy : public AsynchronousOperation {
public:
  struct Lane {
    uint64_t from = 0, to = 0; // addresses in .global and .shared::cta
    uint32_t sourceBytes = 0;  // the others become zero
    Epoch epoch = 0;
  };

  ThreadCopy(Warp &warp, LaneMask lanes, uint32_t copyBytes, AgentId agent,
             const std::array<Lane, warpLanes> &addresses);

  bool proceed(Cluster &cluster, std::mt19937_64 &random) override;
  std::string describe() const override;

private:
  void copy(Cluster &cluster, unsigned lane);

  Cta &cta;
  const uint32_t copyBytes;
  Accessor issuer; // with the agent of the warp's copies
  Causality known;
  LaneMask pending;
  const std::array<Lane, warpLanes> lanes;
  uint64_t traced = 0;
};

/// The copies of a warp's threads that have not been waited for.
class ThreadCopies {
public:
  /// The warp's, made when first asked for.
  static ThreadCopies &of(Warp &warp);

  struct Request {
    uint32_t copyBytes = 0;
    LaneAddresses from, to;
    std::array<uint32_t, warpLanes> sourceBytes;
  };
  void issue(LaneMask active, const Request &request);
  void commit(LaneMask active);
  /// Completes all but the newest `pending` groups of each lane.
  void wait(LaneMask active, uint64_t pending);
  /// The mbarriers at the addresses track the completion of all copies of the
  /// lane so far. Without `noIncrement` the arrival is one more than those that
  /// the phase expects.
  void arrive(LaneMask active, const LaneAddresses &mbarriers,
              bool noIncrement);

  ThreadCopies() = default; // for Warp::state

private:
  void checkExit(Warp &warp) const;

  struct Group {
    std::vector<std::shared_ptr<ThreadCopy>> copies;
    bool isTracked = false; // by an mbarrier, all of them
    Epoch epoch = 0;        // of the last
  };
  struct Lane {
    Epoch epoch = 1; // grows at each commit and arrive
    Group gathered;  // not committed yet
    std::deque<Group> committed;
  };

  Warp *warp = nullptr;
  AgentId agent;
  std::array<Lane, warpLanes> lanes;
};

} // namespace ashlar::sim
