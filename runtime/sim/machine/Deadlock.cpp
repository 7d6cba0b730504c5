// The report of a deadlock: what every thread waits for.
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>
#include <map>

namespace ashlar::sim {

namespace {

/// Warps that wait for the same thing at the same instruction.
struct Group {
  const Instruction *instruction = nullptr;
  std::string did;
  std::vector<const Warp *> warps;
};

std::string whoOf(const Group &group) {
  std::string who = group.warps.front()->who();
  for (size_t i = 1; i < group.warps.size(); ++i) {
    constexpr size_t most = 4;
    if (i == most) {
      who += " and " + std::to_string(group.warps.size() - most) + " more";
      break;
    }
    who += "; " + group.warps[i]->who();
  }
  return who;
}

} // namespace

void Cluster::reportDeadlock() {
  std::vector<Group> groups;
  bool divergent = false;
  for (Warp *warp : warps)
    for (const auto &strand : warp->strands) {
      if (!strand->lanes)
        continue;
      const auto &body = strand->function->body;
      const Instruction *instruction =
          strand->at < body.size() ? body[strand->at].get() : nullptr;
      std::string did = "waits";
      if (strand->blocked && strand->wait.describe)
        did = strand->wait.describe();
      else if (strand->spinning)
        did = "repeats a loop that waits for a change in memory";
      divergent |= strand->blocked && instruction && instruction->aligned &&
                   strand->lanes != warp->live;
      auto same = std::find_if(groups.begin(), groups.end(), [&](Group &g) {
        return g.instruction == instruction && g.did == did;
      });
      if (same == groups.end())
        same = groups.insert(groups.end(), {instruction, did, {}});
      same->warps.push_back(warp);
    }
  Report report;
  report.finding = divergent ? Finding::divergent : Finding::deadlock;
  report.sentence =
      divergent
          ? "an instruction with .aligned (or bar.sync) is reached by some "
            "lanes of a warp only, and the others wait elsewhere: all lanes "
            "of the warp must execute it together"
          : "no thread can go on, and no asynchronous operation is under way";
  for (const Group &group : groups) {
    Site site;
    site.who = whoOf(group);
    site.did = group.did;
    site.source = launch.sourceOf(group.instruction);
    site.instruction = launch.textOf(group.instruction);
    report.sites.push_back(std::move(site));
  }
  launch.reporter.stop(std::move(report));
}

} // namespace ashlar::sim
