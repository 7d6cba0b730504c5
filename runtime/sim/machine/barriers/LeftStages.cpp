#include "runtime/sim/machine/barriers/LeftStages.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Warp.h"

#include <algorithm>
#include <set>

namespace ashlar::sim {

namespace {

const Mbarrier *find(const Cta &cta, uint64_t offset) {
  auto found = cta.mbarriers.find(static_cast<uint32_t>(offset));
  return found == cta.mbarriers.end() ? nullptr : &found->second;
}

/// "role 'c' and role 'd'": those that have arrived on a barrier in the phase
/// that has not completed.
std::string rolesThatArrived(const Mbarrier &barrier) {
  std::set<std::string> roles;
  for (const Participant &each : barrier.participants)
    if (each.arrivedIn == barrier.phase)
      roles.insert(barrier.cta->cluster.launch.notes.roleOf(each.warp));
  std::string text;
  for (const std::string &role : roles)
    text += (text.empty() ? "role '" : " and role '") + role + "'";
  return text;
}

/// A sentence on the first stage of a ring that is left, or "".
std::string leftOf(const Cta &cta, const Notes::Ring &ring) {
  const Launch &launch = cta.cluster.launch;
  const uint64_t dynamic = launch.kernel.shared.dynamicBegin;
  for (uint32_t stage = 0; stage < ring.stages; ++stage) {
    const Mbarrier *full = find(cta, dynamic + ring.barrier(true, stage)),
                   *empty = find(cta, dynamic + ring.barrier(false, stage));
    if (!full || !empty ||
        (full->phase <= empty->phase && empty->arrivedCount == 0))
      continue;
    // "the empty barrier of stage 4 of the pipeline at gemm.cpp:26"
    std::string name = launch.notes.describeShared(ring.barrier(false, stage));
    name.erase(0, std::min(name.find("stage "), name.size()));
    const std::string some = rolesThatArrived(*empty);
    return cta.name() + " exits and leaves " +
           (name.empty() ? "a stage of a pipeline" : name) +
           " as it was filled: " +
           (some.empty()
                ? "no role has released it since"
                : "of those who wait for it only " + some + " released it") +
           ". With more stages to fill its roles would wait for each other for "
           "ever: let all roles of a pipeline take as many";
  }
  return "";
}

} // namespace

void reportLeftStages(Warp &last) {
  for (const auto &cta : last.cluster.ctas)
    for (const Notes::Ring &ring : last.cluster.launch.notes.rings)
      if (std::string sentence = leftOf(*cta, ring); !sentence.empty())
        last.report(Finding::unfinished, std::move(sentence), "exits");
}

} // namespace ashlar::sim
