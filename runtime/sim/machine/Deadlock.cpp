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

/// "warps 0 to 7", "warp 8", "warps 0, 2 and 3".
std::string numbers(const std::vector<uint32_t> &warps) {
  if (warps.size() == 1)
    return "warp " + std::to_string(warps[0]);
  if (warps.back() - warps.front() + 1 == warps.size())
    return "warps " + std::to_string(warps.front()) + " to " +
           std::to_string(warps.back());
  std::string text = "warps " + std::to_string(warps[0]);
  for (size_t i = 1; i < warps.size(); ++i)
    text += (i + 1 == warps.size() ? " and " : ", ") + std::to_string(warps[i]);
  return text;
}

/// "role 'math', warps 0 to 7 of CTA (0,0,0); ...".
std::string whoOf(const Group &group, const Launch &launch) {
  std::map<std::pair<uint32_t, std::string>, std::vector<uint32_t>> byRole;
  std::map<uint32_t, std::string> ctas;
  for (const Warp *warp : group.warps) {
    auto &list = byRole[{warp->cta.linear, launch.roleOf(warp->index)}];
    if (list.empty() || list.back() != warp->index)
      list.push_back(warp->index);
    ctas[warp->cta.linear] = warp->cta.name();
  }
  std::string text;
  for (const auto &[key, warps] : byRole)
    text += (text.empty() ? "" : "; ") +
            (key.second.empty() ? "" : "role '" + key.second + "', ") +
            numbers(warps) + " of " + ctas[key.first];
  return text;
}

/// As said of several: "waits for ..." becomes "wait for ...".
std::string plural(const std::string &did) {
  const size_t end = did.find(' ');
  const size_t length = end == std::string::npos ? did.size() : end;
  return length && did[length - 1] == 's'
             ? did.substr(0, length - 1) + did.substr(length)
             : did;
}

const Instruction *instructionOf(const Strand &strand) {
  const auto &body = strand.function->body;
  return strand.at < body.size() ? body[strand.at].get() : nullptr;
}

/// Whether lanes of a warp wait where all must come together for others that
/// no change of memory would bring.
bool isDivergent(const Warp &warp, const Strand &strand) {
  const Instruction *instruction = instructionOf(strand);
  if (!strand.blocked || !instruction || !instruction->traits.aligned ||
      strand.lanes == warp.live)
    return false;
  return std::none_of(
      warp.strands.begin(), warp.strands.end(), [](const auto &other) {
        return other->lanes &&
               (other->spinning || (other->blocked && other->wait.mayTimeOut));
      });
}

} // namespace

void Cluster::reportDeadlock() {
  std::vector<Group> groups;
  bool divergent = false;
  Wait::Cause root;
  std::string rootSource;
  for (Warp *warp : warps)
    for (const auto &strand : warp->strands) {
      if (!strand->lanes)
        continue;
      const Instruction *instruction = instructionOf(*strand);
      std::string did = "waits";
      if (strand->blocked && strand->wait.describe)
        did = strand->wait.describe();
      else if (strand->spinning)
        did = "repeats a loop that waits for a change in memory";
      if (strand->blocked && strand->wait.cause) {
        Wait::Cause cause = strand->wait.cause();
        if (cause.likelihood > root.likelihood) {
          root = std::move(cause);
          rootSource = launch.sourceOf(instruction);
        }
      }
      divergent |= isDivergent(*warp, *strand);
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
  if (!divergent && root.likelihood)
    report.sentence +=
        ". Nearest cause" +
        (rootSource.empty() ? "" : ", for the wait at " + rootSource) + ": " +
        root.sentence;
  for (const Group &group : groups) {
    Site site;
    site.who = whoOf(group, launch);
    site.did = group.warps.size() > 1 ? plural(group.did) : group.did;
    site.source = launch.sourceOf(group.instruction);
    site.instruction = launch.textOf(group.instruction);
    report.sites.push_back(std::move(site));
  }
  launch.reporter.stop(std::move(report));
}

} // namespace ashlar::sim
