#include "runtime/sim/machine/copies/BulkGroups.h"

#include <algorithm>

namespace ashlar::sim {

BulkGroups &BulkGroups::of(Warp &warp) {
  auto &groups = warp.state<BulkGroups>();
  if (!groups.warp) {
    groups.warp = &warp;
    groups.reads = warp.cluster.newAgent();
    groups.writes = warp.cluster.newAgent();
    warp.exitChecks.push_back(
        [&groups](Warp &exiting) { groups.checkExit(exiting); });
  }
  return groups;
}

GroupCopy::Agents BulkGroups::agents(unsigned lane) const {
  return {reads, writes, lanes[lane].gathered.epoch};
}

void BulkGroups::issue(unsigned lane, LaneMask together,
                       std::shared_ptr<GroupCopy> copy) {
  const Epoch epoch = lanes[lane].gathered.epoch;
  forEachLane(together, [&](unsigned each) {
    lanes[each].gathered.copies.push_back(copy);
    if (each != lane)
      lanes[each].gathered.labels.emplace_back(lane, epoch);
  });
  warp->cluster.issue(std::move(copy));
}

void BulkGroups::commit(unsigned lane) {
  Lane &thread = lanes[lane];
  const Epoch next = thread.gathered.epoch + 1;
  for (auto &copy : thread.gathered.copies)
    copy->isCommitted = true;
  // What that lane issues from here on is not in this group, though it has
  // committed none itself.
  for (const auto &[labelled, epoch] : thread.gathered.labels)
    if (Group &other = lanes[labelled].gathered; other.epoch == epoch) {
      other.labels.emplace_back(labelled, epoch);
      ++other.epoch;
    }
  thread.committed.push_back(std::move(thread.gathered));
  thread.gathered = {next, {}, {}};
}

void BulkGroups::learn(unsigned lane, AgentId agent, const Group &group) const {
  const LaneMask self = LaneMask(1) << lane;
  warp->acquire(self, agent, group.epoch, self);
  for (const auto &[labelled, epoch] : group.labels)
    warp->acquire(self, agent, epoch, LaneMask(1) << labelled);
}

void BulkGroups::wait(unsigned lane, uint64_t pending, bool readsOnly) {
  Lane &thread = lanes[lane];
  Cluster &cluster = warp->cluster;
  if (thread.committed.size() <= pending)
    return;
  const size_t count = thread.committed.size() - pending;
  for (size_t i = 0; i < count; ++i) {
    const Group &group = thread.committed[i];
    for (auto &copy : group.copies) {
      copy->isAwaited = true;
      if (readsOnly)
        copy->finishReads(cluster.schedule.random);
      else
        copy->finish(cluster, cluster.schedule.random);
    }
    if (group.epoch > thread.read)
      learn(lane, reads, group);
    thread.read = std::max(thread.read, group.epoch);
    if (!readsOnly)
      learn(lane, writes, group);
  }
  if (readsOnly)
    return;
  thread.committed.erase(thread.committed.begin(),
                         thread.committed.begin() +
                             static_cast<std::ptrdiff_t>(count));
}

// One lane's commit and wait will do for a copy that several have issued
// together: it is one to the assembler.
// What is left reads shared memory now, which is there until the CTA has
// exited.
void BulkGroups::checkExit(Warp &exiting) const {
  auto firstWithout = [](const Group &group, bool GroupCopy::*what) {
    auto found = std::ranges::find_if(
        group.copies, [&](const auto &copy) { return !((*copy).*what); });
    return found == group.copies.end() ? nullptr : found->get();
  };
  auto finish = [&](const Group &group) {
    for (const auto &copy : group.copies)
      copy->finishReads(exiting.cluster.schedule.random);
  };
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    const Lane &thread = lanes[lane];
    const int index = static_cast<int>(lane);
    if (const GroupCopy *copy =
            firstWithout(thread.gathered, &GroupCopy::isCommitted))
      exiting.reportHarmless(
          Finding::unfinished,
          "the thread exits with bulk copies that belong to no group (" +
              copy->describe() +
              "): cp.async.bulk.commit_group and wait_group before it returns",
          "exits without cp.async.bulk.commit_group", index,
          {copy->issuedAt()});
    for (const Group &group : thread.committed)
      if (const GroupCopy *copy = firstWithout(group, &GroupCopy::isAwaited)) {
        exiting.reportHarmless(
            Finding::unfinished,
            "the thread exits while its bulk copies may still read shared "
            "memory, which is given away with the CTA (" +
                copy->describe() +
                "): cp.async.bulk.wait_group.read 0 before it returns",
            "exits without cp.async.bulk.wait_group", index,
            {copy->issuedAt()});
        break;
      }
  }
  for (const Lane &thread : lanes) {
    finish(thread.gathered);
    for (const Group &group : thread.committed)
      finish(group);
  }
}

} // namespace ashlar::sim
