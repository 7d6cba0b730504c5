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

/// "role 'c', role 'd' of CTA (1,0,0)": those that have arrived on a barrier in
/// the phase that has not completed.
std::string rolesThatArrived(const Mbarrier &barrier) {
  const Cluster &cluster = barrier.cta->cluster;
  std::set<std::string> roles;
  for (const Participant &each : barrier.participants)
    if (each.arrivedIn == barrier.phase)
      roles.insert("role '" + cluster.launch.notes.roleOf(each.warp) + "'" +
                   (cluster.ctas.size() > 1
                        ? " of " + cluster.ctas[each.cta]->name()
                        : ""));
  std::string text;
  for (const std::string &role : roles)
    text += (text.empty() ? "" : ", ") + role;
  return text;
}

/// A sentence on the first stage of a ring that is left, or "".
std::string leftOf(const Cta &cta, const Notes::Ring &ring) {
  const Launch &launch = cta.cluster.launch;
  const uint64_t dynamic = launch.kernel.shared.dynamicBegin;
  for (uint32_t stage = 0; stage < ring.stages; ++stage) {
    const Mbarrier *empty = find(cta, dynamic + ring.barrier(false, stage));
    if (!empty || empty->arrivedCount == 0)
      continue;
    // "the empty barrier of stage 4 of the pipeline at gemm.cpp:26"
    std::string name = launch.notes.describeShared(ring.barrier(false, stage));
    name.erase(0, std::min(name.find("stage "), name.size()));
    return cta.name() + " exits and leaves " +
           (name.empty() ? "a stage of a pipeline" : name) +
           ", which of all that wait for its stages only " +
           rolesThatArrived(*empty) +
           " released: where more stages are filled than there are, who fills "
           "them waits for ever. Let all roles take as many";
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
