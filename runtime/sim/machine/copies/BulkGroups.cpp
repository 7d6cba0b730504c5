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

void BulkGroups::issue(unsigned lane, std::shared_ptr<GroupCopy> copy) {
  lanes[lane].gathered.copies.push_back(copy);
  warp->cluster.issue(std::move(copy));
}

void BulkGroups::commit(unsigned lane) {
  Lane &thread = lanes[lane];
  const Epoch next = thread.gathered.epoch + 1;
  thread.committed.push_back(std::move(thread.gathered));
  thread.gathered = {next, {}};
}

void BulkGroups::wait(unsigned lane, uint64_t pending, bool readsOnly) {
  Lane &thread = lanes[lane];
  Cluster &cluster = warp->cluster;
  if (thread.committed.size() <= pending)
    return;
  const size_t count = thread.committed.size() - pending;
  Epoch epoch = 0;
  for (size_t i = 0; i < count; ++i) {
    epoch = thread.committed[i].epoch;
    for (auto &copy : thread.committed[i].copies) {
      if (readsOnly)
        copy->finishReads(cluster.schedule.random);
      else
        copy->finish(cluster, cluster.schedule.random);
    }
  }
  const LaneMask self = LaneMask(1) << lane;
  if (epoch > thread.read)
    warp->acquire(self, reads, epoch, self);
  thread.read = std::max(thread.read, epoch);
  if (readsOnly)
    return;
  warp->acquire(self, writes, epoch, self);
  thread.committed.erase(thread.committed.begin(),
                         thread.committed.begin() +
                             static_cast<std::ptrdiff_t>(count));
}

void BulkGroups::checkExit(Warp &exiting) const {
  for (unsigned lane = 0; lane < warpLanes; ++lane) {
    const Lane &thread = lanes[lane];
    const int index = static_cast<int>(lane);
    if (!thread.gathered.copies.empty())
      exiting.report(
          Finding::unfinished,
          "the thread exits with bulk copies that belong to no group (" +
              thread.gathered.copies.front()->describe() +
              "): cp.async.bulk.commit_group and wait_group before it returns",
          "exits without cp.async.bulk.commit_group", index);
    for (const Group &group : thread.committed)
      if (group.epoch > thread.read && !group.copies.empty()) {
        exiting.report(
            Finding::unfinished,
            "the thread exits while its bulk copies may still read shared "
            "memory, which is given away with the CTA (" +
                group.copies.front()->describe() +
                "): cp.async.bulk.wait_group.read 0 before it returns",
            "exits without cp.async.bulk.wait_group", index);
        break;
      }
  }
}

} // namespace ashlar::sim
