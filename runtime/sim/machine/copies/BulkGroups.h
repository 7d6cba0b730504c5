// The bulk groups of each thread of a warp (PTX ISA, "Async-group mechanism",
// cp.async.bulk.commit_group and wait_group).
#pragma once

#include "runtime/sim/machine/copies/GroupCopy.h"

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace ashlar::sim {

class BulkGroups {
public:
  /// The warp's, made when first asked for.
  static BulkGroups &of(Warp &warp);

  /// The label of a copy that the lane issues now.
  GroupCopy::Agents agents(unsigned lane) const;
  /// Hands the copy to the schedule, in the group that each of the lanes
  /// commits next; its label is that of `lane`, one of them.
  void issue(unsigned lane, LaneMask lanes, std::shared_ptr<GroupCopy> copy);

  void commit(unsigned lane);
  /// Completes all but the newest `pending` groups of the lane, which learns of
  /// it; with `readsOnly` only their reads of shared memory.
  void wait(unsigned lane, uint64_t pending, bool readsOnly);

  BulkGroups() = default; // for Warp::state

private:
  void checkExit(Warp &warp) const;

  struct Group {
    Epoch epoch = 0;
    std::vector<std::shared_ptr<GroupCopy>> copies;
    /// The labels of those that have another lane's, or an earlier one.
    std::vector<std::pair<unsigned, Epoch>> labels;
  };
  void learn(unsigned lane, AgentId agent, const Group &group) const;
  struct Lane {
    Group gathered{1, {}, {}};
    std::deque<Group> committed; // and not yet waited for
    Epoch read = 0;              // reads complete up to this group
  };

  Warp *warp = nullptr;
  AgentId reads, writes;
  std::array<Lane, warpLanes> lanes;
};

} // namespace ashlar::sim
