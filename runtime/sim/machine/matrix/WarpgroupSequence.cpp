// That the four warps of a warpgroup execute the same wgmma instructions.

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/matrix/Wgmma.h"

#include <algorithm>

namespace ashlar::sim {

void WarpgroupSequence::note(Warp &warp, uint64_t a, uint64_t b) {
  if (reported)
    return;
  const uint64_t number = executed[warp.index % 4]++;
  if (number - first < entries.size()) {
    const Entry &other = entries[number - first];
    if (other.instruction != warp.current || other.a != a || other.b != b)
      return report(warp, other);
  } else {
    entries.push_back({warp.current, a, b});
    const uint32_t leader = warp.index & ~3u;
    for (uint32_t i = 0; i < 4; ++i)
      if (!warp.cta.warps[leader + i]->live && executed[i] <= number)
        return report(warp, {nullptr, 0, 0});
  }
  const uint64_t least = *std::min_element(executed.begin(), executed.end());
  for (; first < least; ++first)
    entries.pop_front();
}

void WarpgroupSequence::report(Warp &warp, const Entry &other) {
  reported = true;
  Report report;
  report.finding = Finding::divergent;
  if (other.instruction == warp.current)
    report.sentence = "the warps of a warpgroup execute this wgmma with "
                      "different matrix descriptors: compute them from values "
                      "that are the same in all four warps";
  else
    report.sentence =
        "the four warps of a warpgroup must execute the same wgmma "
        "instructions in the same order, and these two departed: move them "
        "out of branches that the warps take differently";
  report.sites.push_back(warp.site("executes it as its wgmma number " +
                                   std::to_string(executed[warp.index % 4])));
  const Instruction *current = warp.current;
  warp.current = other.instruction ? other.instruction : current;
  report.sites.push_back(warp.site(
      other.instruction ? "was executed by another warp of the warpgroup in "
                          "its place"
                        : "was never reached by a warp of the warpgroup, "
                          "which has exited"));
  warp.current = current;
  warp.cluster.launch.reporter.add(std::move(report));
}

void WarpgroupSequence::checkExit(Warp &warp) {
  const uint64_t number = executed[warp.index % 4];
  if (reported || number - first >= entries.size())
    return;
  reported = true;
  warp.report(Finding::divergent,
              "the warp exits, but another warp of its warpgroup has executed "
              "more wgmma instructions: all four must execute the same ones",
              "exits");
}

} // namespace ashlar::sim
