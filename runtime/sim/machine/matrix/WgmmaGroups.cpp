// Groups of wgmma, the registers they own, and the rule of wgmma.fence.

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Trace.h"
#include "runtime/sim/machine/matrix/Wgmma.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace ashlar::sim {

std::vector<RegisterRange> rangesOf(const std::vector<Slot> &registers) {
  std::vector<RegisterRange> ranges;
  for (Slot slot : registers)
    ranges.push_back({slot.offset, slot.offset + slot.laneBytes * warpLanes});
  std::sort(ranges.begin(), ranges.end(),
            [](const auto &a, const auto &b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const RegisterRange &range : ranges)
    if (kept && ranges[kept - 1].end == range.begin)
      ranges[kept - 1].end = range.end;
    else
      ranges[kept++] = range;
  ranges.resize(kept);
  return ranges;
}

bool overlap(const std::vector<RegisterRange> &a,
             const std::vector<RegisterRange> &b) {
  for (const RegisterRange &x : a)
    for (const RegisterRange &y : b)
      if (x.begin < y.end && y.begin < x.end)
        return true;
  return false;
}

WgmmaGroups &WgmmaGroups::of(Warp &warp) {
  auto &groups = warp.state<WgmmaGroups>();
  if (!groups.isSet) {
    groups.isSet = true;
    groups.agent = warp.cluster.newAgent();
    warp.exitChecks.push_back(
        [](Warp &exiting) { of(exiting).checkExit(exiting); });
  }
  return groups;
}

void WgmmaGroups::checkWarpgroup(Warp &warp, uint64_t a, uint64_t b) {
  const uint32_t first = warp.index & ~3u;
  const auto &warps = warp.cta.warps;
  bool complete = first + 4 <= warps.size();
  for (uint32_t i = first; complete && i < first + 4; ++i)
    complete = warps[i]->existing == allLanes;
  if (!complete)
    warp.stop(Finding::divergent,
              "wgmma needs a warpgroup, four whole warps of which the first "
              "has a number divisible by 4; warps " +
                  std::to_string(first) + " to " + std::to_string(first + 3) +
                  " of this CTA are not all there: launch it with a multiple "
                  "of 128 threads",
              "executes it");
  warps[first]->state<WarpgroupSequence>().note(warp, a, b);
}

void WgmmaGroups::fence(Warp &warp) {
  checkWarpgroup(warp);
  ++fences;
}

void WgmmaGroups::issue(Warp &warp, const WgmmaForm &form, uint64_t descriptorA,
                        uint64_t descriptorB, bool accumulate) {
  checkWarpgroup(warp, descriptorA, descriptorB);
  checkFence(warp, form);
  auto operation = std::make_shared<WgmmaOperation>(warp, form, descriptorA,
                                                    descriptorB, accumulate);
  operation->group = committed + 1;
  operation->accessor = warp.accessor(0);
  operation->accessor.agent = agent;
  operation->accessor.epoch = operation->group;
  operation->accessor.asynchronous = true;
  // What the warp does later is not ordered before the operation.
  warp.release(warp.live, operation->causality);
  use(warp, form.rangesD, true);
  if (!form.rangesA.empty())
    use(warp, form.rangesA, false);
  if (!openGroup && warp.index % 4 == 0)
    if (Trace *trace = warp.cluster.launch.options.trace.get())
      traced.emplace_back(
          operation->group,
          trace->beginOperation(warp, Trace::Engine::tensorCore,
                                "wgmma group " +
                                    std::to_string(operation->group)));
  openGroup = true;
  pending.push_back(operation);
  warp.cluster.issue(std::move(operation));
}

void WgmmaGroups::use(Warp &warp, const std::vector<RegisterRange> &ranges,
                      bool isAccumulator) {
  for (Use &each : uses)
    if (each.isAccumulator == isAccumulator && *each.ranges == ranges) {
      each.lastGroup = committed + 1;
      return;
    }
  uses.push_back({&ranges, isAccumulator, committed + 1, warp.current});
  for (const RegisterRange &range : ranges)
    warp.owned.push_back(
        {range.begin, range.end, !isAccumulator, warp.current});
}

void WgmmaGroups::commit(Warp &warp) {
  checkWarpgroup(warp);
  ++committed;
  openGroup = false;
  warp.cluster.noteProgress(); // another warp may wait for it
}

void WgmmaGroups::completeReads(Warp &waiting, Epoch through) {
  while (!pending.empty() && pending.front()->group <= through) {
    pending.front()->execute();
    pending.front()->done = true;
    pending.pop_front();
  }
  waiting.acquire(waiting.live, agent, through, allLanes);
}

Step WgmmaGroups::waitForWarp(Warp &warp, const Warp &other, Epoch group) {
  isBlocked = true;
  Wait wait;
  const std::string missing = "warp " + std::to_string(other.index);
  wait.describe = [missing, group] {
    return "waits in wgmma.wait_group for " + missing +
           " of its warpgroup to commit group " + std::to_string(group);
  };
  wait.cause = [missing]() -> Wait::Cause {
    return {Wait::Cause::someArrivals,
            missing +
                " has not issued its part of a wgmma: all four warps of a "
                "warpgroup must execute it"};
  };
  return warp.waitFor(std::move(wait));
}

Step WgmmaGroups::wait(Warp &warp, uint32_t atMost) {
  if (!isBlocked) // it was noted when it blocked
    checkWarpgroup(warp);
  isBlocked = false;
  const Epoch through = committed > atMost ? committed - atMost : 0;
  if (through <= completed)
    return Step::next;
  const std::span warpgroup(&warp.cta.warps[warp.index & ~3u], 4);
  for (const auto &each : warpgroup)
    if (each->live && of(*each).committed < through)
      return waitForWarp(warp, *each, through);
  completed = through;
  for (const auto &each : warpgroup)
    of(*each).completeReads(warp, through);
  bool released = false;
  std::erase_if(uses, [&](const Use &each) {
    if (each.lastGroup > through)
      return false;
    hold(warp, *each.ranges);
    released = true;
    return true;
  });
  if (released) {
    warp.owned.clear();
    for (const Use &each : uses)
      for (const RegisterRange &range : *each.ranges)
        warp.owned.push_back(
            {range.begin, range.end, !each.isAccumulator, each.owner});
  }
  std::erase_if(traced, [&](const auto &each) {
    if (each.first > through)
      return false;
    warp.cluster.launch.options.trace->endOperation(each.second, warp.cluster);
    return true;
  });
  return Step::next;
}

void WgmmaGroups::executeThrough(const WgmmaOperation &last) {
  while (!pending.empty()) {
    const auto operation = pending.front();
    pending.pop_front();
    operation->execute();
    operation->done = true;
    if (operation.get() == &last)
      return;
  }
}

// PTX ISA, "wgmma.fence": needed before the first wgmma.mma_async, and between
// another access to registers and a wgmma.mma_async that uses them; not between
// products of one shape that accumulate in the same registers.
void WgmmaGroups::checkFence(Warp &warp, const WgmmaForm &form) {
  const auto finding = Finding::accumulatorTouched;
  if (fences == 0) {
    warp.report(finding,
                "no wgmma.fence was executed before the first "
                "wgmma.mma_async: add one before it, after the last access "
                "to its registers",
                "uses registers of A or D");
    ++fences; // said once
  }
  for (const Instruction *writer : form.writersSinceFence) {
    Report report;
    report.finding = finding;
    report.sentence =
        "a register of wgmma.mma_async is written after the last wgmma.fence: "
        "put a wgmma.fence behind the last write";
    report.sites.push_back(warp.site("uses the register"));
    const Instruction *current = warp.current;
    warp.current = writer;
    report.sites.push_back(warp.site("writes the register"));
    warp.current = current;
    warp.cluster.launch.reporter.add(std::move(report));
  }
  for (const Use &each : uses) {
    const bool sameD = each.isAccumulator && *each.ranges == form.rangesD;
    if (!sameD && overlap(*each.ranges, form.rangesD))
      warp.report(finding,
                  each.isAccumulator
                      ? "the accumulator overlaps one of another shape that an "
                        "earlier wgmma may still write: wait for its group "
                        "first (wgmma.wait_group)"
                      : "the accumulator overlaps registers of A that an "
                        "earlier wgmma may still read: wait for its group "
                        "first (wgmma.wait_group)",
                  "writes its accumulator");
    if (each.isAccumulator && overlap(*each.ranges, form.rangesA))
      warp.report(finding,
                  "registers of A are accumulators that an earlier wgmma may "
                  "still write: wait for its group first (wgmma.wait_group)",
                  "reads A");
    if (sameD && each.lastGroup > completed)
      return checkHeld(warp, form.rangesA, "a register of A");
  }
  checkHeld(warp, form.rangesD, "an accumulator");
  checkHeld(warp, form.rangesA, "a register of A");
}

void WgmmaGroups::hold(Warp &warp, const std::vector<RegisterRange> &ranges) {
  auto entry = std::find_if(held.begin(), held.end(), [&](const Held &each) {
    return *each.ranges == ranges;
  });
  if (entry == held.end())
    entry = held.insert(held.end(), Held{&ranges, 0, {}});
  entry->fences = fences;
  entry->values.clear();
  for (const RegisterRange &range : ranges) {
    const std::byte *begin = warp.lanes<std::byte>({range.begin, 1});
    entry->values.insert(entry->values.end(), begin,
                         begin + (range.end - range.begin));
  }
}

void WgmmaGroups::checkHeld(Warp &warp,
                            const std::vector<RegisterRange> &ranges,
                            const char *what) {
  for (const Held &each : held) {
    if (each.fences != fences || *each.ranges != ranges)
      continue;
    const std::byte *value = each.values.data();
    for (const RegisterRange &range : ranges) {
      const uint32_t size = range.end - range.begin;
      if (std::memcmp(value, warp.lanes<std::byte>({range.begin, 1}), size) !=
          0) {
        warp.report(Finding::accumulatorTouched,
                    std::string(what) +
                        " was written since the last wgmma.fence: add a "
                        "wgmma.fence between the write and this instruction",
                    "uses the register");
        return;
      }
      value += size;
    }
  }
}

void WgmmaGroups::checkExit(Warp &warp) {
  warp.cta.warps[warp.index & ~3u]->state<WarpgroupSequence>().checkExit(warp);
  if (openGroup)
    warp.reportHarmless(Finding::unfinished,
                        "the warp exits after a wgmma.mma_async that no "
                        "wgmma.commit_group follows: commit it and wait for it",
                        "exits");
  else if (completed < committed && !uses.empty())
    warp.reportHarmless(
        Finding::unfinished,
        "the warp exits while wgmma groups are under way: wait for "
        "them (wgmma.wait_group 0)",
        "exits");
}

} // namespace ashlar::sim
