// What the lanes of a warp know of other accesses: Warp's ordering functions
// work on this.
#pragma once

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Warp.h"

#include <array>
#include <memory>
#include <vector>

namespace ashlar::sim {

/// Lanes that have taken part in the same synchronisation share what they know;
/// a lane's own accesses since then are known to itself only (see
/// Accessor::inProgramOrder).
struct Warp::Ordering {
  explicit Ordering(Warp &warp);

  struct Group {
    LaneMask lanes = 0;
    Causality causality;
    /// What the last fence made ready for relaxed writes; null before one.
    std::shared_ptr<const Causality> prepared;
    /// What was acquired last, and is part of `causality`: a loop that polls
    /// finds the same again and again.
    std::shared_ptr<const Causality> acquired;
    /// What relaxed reads have observed since; null: nothing.
    std::unique_ptr<Causality> observed;
    uint64_t version = 0; // grows when causality changes
  };

  Group &groupOf(unsigned lane) { return *groups[indexOf[lane]]; }
  /// Splits groups so that `lanes` are whole groups; calls `body` for each.
  template <class Body> void forGroups(LaneMask lanes, Body body) {
    split(lanes);
    for (auto &group : groups)
      if (group->lanes & lanes)
        body(*group);
  }
  /// Calls `body` for parts of `lanes` whose lanes know the same.
  template <class Body> void forKnowingSame(LaneMask lanes, Body body) {
    while (lanes) {
      const LaneMask together =
          groupOf(static_cast<unsigned>(std::countr_zero(lanes))).lanes & lanes;
      body(together);
      lanes &= ~together;
    }
  }
  void split(LaneMask lanes);
  /// Makes one group of the lanes; they learn from each other.
  void merge(LaneMask lanes);
  /// Ends the epoch: its number, up to which the lanes' own accesses are in
  /// what they publish next.
  Epoch endEpoch();
  /// Knowledge of the lanes' own accesses up to an epoch.
  Knowledge own(LaneMask lanes, Epoch epoch) const;
  /// What relaxed reads have observed becomes known.
  void learnObserved(Group &group);
  /// The release of one group's lanes.
  void publish(Group &group, LaneMask lanes, Epoch epoch, Causality &into);

  Warp &warp;
  const AgentId agent;
  /// Accesses were made in the current epoch: a release must end it.
  bool accessed = false;
  std::vector<std::unique_ptr<Group>> groups;
  std::array<uint8_t, warpLanes> indexOf{};

  /// A lane's knowledge with its own past, for Warp::causality.
  struct Complete {
    Causality causality;
    const Group *group = nullptr;
    uint64_t version = 0;
    Epoch epoch = 0;
  };
  std::array<std::unique_ptr<Complete>, warpLanes> complete;
  uint64_t versions = 0;

private:
  void renumber();
};

} // namespace ashlar::sim
