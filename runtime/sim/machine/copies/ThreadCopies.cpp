// The groups of cp.async, and how mbarriers track them.
#include "runtime/sim/machine/barriers/Mbarrier.h"
#include "runtime/sim/machine/copies/ThreadCopy.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

using Copies = std::vector<std::shared_ptr<ThreadCopy>>;

/// The arrivals that cp.async.mbarrier.arrive triggers when the copies are
/// complete.
class CopyArrival : public AsynchronousOperation {
public:
  struct Lane {
    uint32_t mbarrier = 0;
    Epoch epoch = 0; // copies up to it are complete
  };
  CopyArrival(Warp &warp, LaneMask active, AgentId agent, Copies copies,
              const std::array<Lane, warpLanes> &lanes)
      : copies(std::move(copies)), cta(warp.cta), issuer(warp.accessor(0)),
        agent(agent), known(warp.cluster.index), active(active), lanes(lanes) {
    warp.release(active, known);
    issuer.causality = &known;
  }

  bool proceed(Cluster &cluster, std::mt19937_64 &random) override {
    for (auto &copy : copies)
      copy->finish(cluster, random);
    copies.clear();
    if (cta.exited())
      return true;
    forEachLane(active, [&](unsigned lane) {
      Accessor by = issuer;
      by.lane = static_cast<uint8_t>(lane);
      const std::string did = "arrives on it when its cp.async are complete";
      Mbarrier &barrier = useMbarrier(cluster, lanes[lane].mbarrier, by, did);
      barrier.arrived.join(known);
      Knowledge complete;
      complete.top = lanes[lane].epoch;
      complete.ahead = LaneMask(1) << lane;
      barrier.arrived.base.learn(agent, complete);
      sim::arrive(barrier, by, 1);
    });
    cluster.noteProgress();
    return true;
  }

  std::string describe() const override {
    return "cp.async.mbarrier.arrive by " +
           cta.cluster.who(issuer.cta, issuer.warp, -1);
  }

private:
  Copies copies;
  Cta &cta;
  Accessor issuer;
  AgentId agent;
  Causality known;
  const LaneMask active;
  const std::array<Lane, warpLanes> lanes;
};

void forget(Copies &copies) {
  std::erase_if(copies, [](const auto &copy) { return copy->done; });
}

void add(Copies &all, const Copies &more) {
  for (const auto &copy : more)
    if (!copy->done && std::find(all.begin(), all.end(), copy) == all.end())
      all.push_back(copy);
}

} // namespace

ThreadCopies &ThreadCopies::of(Warp &warp) {
  auto &copies = warp.state<ThreadCopies>();
  if (!copies.warp) {
    copies.warp = &warp;
    copies.agent = warp.cluster.newAgent();
    warp.exitChecks.push_back(
        [&copies](Warp &exiting) { copies.checkExit(exiting); });
  }
  return copies;
}

void ThreadCopies::issue(LaneMask active, const Request &request) {
  std::array<ThreadCopy::Lane, warpLanes> each;
  forEachLane(active, [&](unsigned lane) {
    each[lane] = {request.from[lane], request.to[lane],
                  request.sourceBytes[lane], lanes[lane].epoch};
  });
  auto copy = std::make_shared<ThreadCopy>(*warp, active, request.copyBytes,
                                           agent, each);
  // A thread that only ever uses mbarriers commits no group.
  constexpr size_t many = 64;
  forEachLane(active, [&](unsigned lane) {
    Group &group = lanes[lane].gathered;
    if (group.copies.size() >= many)
      forget(group.copies);
    group.copies.push_back(copy);
    group.isTracked = false;
    group.epoch = lanes[lane].epoch;
  });
  warp->cluster.issue(std::move(copy));
}

void ThreadCopies::commit(LaneMask active) {
  forEachLane(active, [&](unsigned lane) {
    Lane &thread = lanes[lane];
    thread.committed.push_back(std::move(thread.gathered));
    thread.gathered = {};
    ++thread.epoch;
  });
}

void ThreadCopies::wait(LaneMask active, uint64_t pending) {
  Cluster &cluster = warp->cluster;
  forEachLane(active, [&](unsigned lane) {
    Lane &thread = lanes[lane];
    Epoch epoch = 0;
    while (thread.committed.size() > pending) {
      Group &group = thread.committed.front();
      for (auto &copy : group.copies)
        copy->finish(cluster, cluster.schedule.random);
      epoch = std::max(epoch, group.epoch);
      thread.committed.pop_front();
    }
    const LaneMask self = LaneMask(1) << lane;
    if (epoch)
      warp->acquire(self, agent, epoch, self);
  });
}

void ThreadCopies::arrive(LaneMask active, const LaneAddresses &mbarriers,
                          bool noIncrement) {
  Copies copies;
  std::array<CopyArrival::Lane, warpLanes> each;
  forEachLane(active, [&](unsigned lane) {
    Lane &thread = lanes[lane];
    for (Group &group : thread.committed) {
      add(copies, group.copies);
      group.isTracked = true;
    }
    add(copies, thread.gathered.copies);
    thread.gathered.isTracked = true;
    const auto mbarrier = static_cast<uint32_t>(mbarriers[lane]);
    each[lane] = {mbarrier, thread.epoch++};
    const Accessor by = warp->accessor(lane);
    Mbarrier &barrier =
        useMbarrier(warp->cluster, mbarrier, by, "has it track its cp.async");
    noteArrival(*warp, barrier);
    if (!noIncrement)
      addPending(barrier, by, 1);
  });
  warp->cluster.issue(std::make_shared<CopyArrival>(*warp, active, agent,
                                                    std::move(copies), each));
}

void ThreadCopies::checkExit(Warp &exiting) const {
  const auto isOpen = [](const Group &group) {
    return !group.isTracked && !group.copies.empty();
  };
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    const Lane &thread = lanes[lane];
    const bool isUnwaited =
        std::any_of(thread.committed.begin(), thread.committed.end(), isOpen);
    if (!isOpen(thread.gathered) && !isUnwaited)
      continue;
    exiting.reportHarmless(
        Finding::unfinished,
        isUnwaited ? "the thread exits before its cp.async copies are "
                     "complete: cp.async.wait_group 0 before it returns"
                   : "the thread exits with cp.async copies that nothing "
                     "waits for: cp.async.commit_group and wait_group 0, "
                     "or cp.async.mbarrier.arrive, before it returns",
        "exits with cp.async under way", static_cast<int>(lane));
    return; // one is enough: the lanes do the same
  }
}

} // namespace ashlar::sim
