#include "runtime/sim/machine/WarpRunner.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Loops.h"
#include "runtime/sim/machine/Program.h"
#include "runtime/sim/machine/Trace.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace ashlar::sim {

namespace {

/// Instructions of a warp, without any change in memory, behind which a loop is
/// looked at.
constexpr uint64_t patience = 20000;

/// Waits are slices from the first try to the last, arrivals points in time.
/// How far the barrier was at the first try is left out of the name.
void noteInTrace(Trace &trace, const Warp &warp, const Strand &strand,
                 Step outcome, bool timedOut) {
  if (!warp.current->text)
    return;
  const ptx::Instruction &text = *warp.current->text;
  if (outcome == Step::blocked) {
    const std::string what =
        strand.wait.describe ? strand.wait.describe() : ptx::mnemonic(text);
    trace.beginWait(warp, what.substr(0, what.find(": ")));
    return;
  }
  // A wait that gives up is as a rule tried again: one slice for all tries.
  if (!timedOut)
    trace.endWait(warp);
  if (warp.current->traits.arrives)
    trace.instant(warp, ptx::mnemonic(text));
}

} // namespace

bool WarpRunner::ready(const Strand &strand) const {
  if (strand.spinning)
    return strand.spinningSince !=
           warp.cluster.launch.changes.load(std::memory_order_relaxed);
  if (!strand.blocked)
    return true;
  return strand.wait.version ? *strand.wait.version != strand.wait.seen
                             : warp.cluster.changes != strand.wait.seen;
}

bool WarpRunner::canRun() const {
  for (const auto &strand : warp.strands)
    if (ready(*strand))
      return true;
  return false;
}

// The strand that is behind: with the most calls, then the lowest address.
// Lanes that are ahead wait for it at the place where the paths join again.
// Now and then another has its turn, as it may be what the first waits for.
Strand *WarpRunner::choose() {
  Strand *best = nullptr;
  size_t others = 0;
  for (const auto &strand : warp.strands) {
    if (!ready(*strand))
      continue;
    ++others;
    if (!best || strand->calls.size() > best->calls.size() ||
        (strand->calls.size() == best->calls.size() && strand->at < best->at))
      best = strand.get();
  }
  constexpr uint64_t turn = 1024;
  if (others > 1 && warp.executed % (turn * 2) >= turn) {
    auto index = static_cast<size_t>(warp.executed / (turn * 2)) % others;
    for (const auto &strand : warp.strands)
      if (ready(*strand) && index-- == 0)
        return strand.get();
  }
  return best;
}

/// Where lanes of the others are the next to be met.
uint32_t WarpRunner::nextMeeting(const Strand &strand) const {
  uint32_t next = std::numeric_limits<uint32_t>::max();
  for (const auto &other : warp.strands)
    if (other->at > strand.at)
      next = std::min(next, other->at);
  return next;
}

// Up to the next jump, wait or meeting the strand that was behind stays so.
void WarpRunner::run(uint32_t quantum, bool stopsAtSynchronisation) {
  while (quantum && warp.live) {
    const size_t count = warp.strands.size();
    Strand *strand =
        count == 1 ? (ready(*warp.strands[0]) ? warp.strands[0].get() : nullptr)
                   : choose();
    if (!strand)
      return;
    meeting = nextMeeting(*strand);
    do {
      --quantum;
      goesStraight = false;
      step(*strand);
      if (stopsAtSynchronisation && warp.current &&
          warp.current->traits.synchronises)
        return;
    } while (goesStraight && quantum && warp.strands.size() == count);
  }
}

void WarpRunner::step(Strand &strand) {
  const auto &body = strand.function->body;
  strand.blocked = false;
  strand.spinning = false;
  warp.strand = &strand;
  warp.polls = nullptr;
  ++warp.executed;
  ++warp.cluster.clock;
  if (strand.at >= body.size()) { // behind the last instruction
    ++warp.cluster.otherTicks;
    warp.returnFromCall(strand.lanes);
    settle(strand, Step::moved, strand.lanes);
    return;
  }
  const Instruction &instruction = *body[strand.at];
  if (strand.snapshot && strand.snapshot->isWatching()) {
    warp.polls = &strand.snapshot->polls;
    strand.snapshot->executed.push_back(&instruction);
  }
  LaneMask active = strand.lanes;
  if (instruction.hasGuard) {
    const LaneMask guard = warp.predicate(instruction.guard);
    active &= instruction.guardNegated ? ~guard : guard;
    if (!active) {
      warp.current = &instruction;
      settle(strand, Step::next, strand.lanes);
      return;
    }
  }
  warp.current = &instruction;
  if (!warp.owned.empty())
    checkOwned(instruction);
  if (instruction.traits.aligned && !warp.gather(active, warp.live)) {
    settle(strand, Step::blocked, active);
    return;
  }
  const uint32_t before = strand.at;
  const bool timedOut = warp.timedOut;
  const Step outcome = instruction.execute(warp, active);
  warp.timedOut = false;
  const bool jumpedBack = outcome == Step::moved && strand.at <= before;
  if (Trace *trace = warp.cluster.launch.options.trace.get())
    noteInTrace(*trace, warp, strand, outcome, timedOut);
  settle(strand, outcome, active);
  if (jumpedBack && !warp.strands.empty())
    noteJumpBack(*warp.strand);
}

void WarpRunner::settle(Strand &strand, Step step, LaneMask active) {
  switch (step) {
  case Step::next:
    if (++strand.at < meeting && strand.lanes) {
      goesStraight = true;
      return;
    }
    break;
  case Step::moved:
    break;
  case Step::blocked:
    if (const LaneMask others = strand.lanes & ~active) {
      auto passing = warp.split(others);
      ++passing->at;
      warp.strands.push_back(std::move(passing));
    }
    strand.blocked = true;
    ++warp.cluster.otherTicks;
    break;
  }
  if (strand.lanes == 0) {
    std::erase_if(warp.strands,
                  [&](const auto &other) { return other.get() == &strand; });
    warp.strand = warp.strands.empty() ? nullptr : warp.strands[0].get();
    return;
  }
  if (warp.strands.size() > 1)
    merge(strand);
}

// Strands at the same place become one. Those that wait there try again, with
// the new lanes.
void WarpRunner::merge(Strand &strand) {
  for (size_t i = 0; i < warp.strands.size();) {
    Strand &other = *warp.strands[i];
    if (&other == &strand || other.at != strand.at ||
        other.function != strand.function || other.calls != strand.calls) {
      ++i;
      continue;
    }
    strand.lanes |= other.lanes;
    strand.blocked = false;
    strand.spinning = false;
    ++warp.strandChanges;
    warp.strands.erase(warp.strands.begin() + static_cast<ptrdiff_t>(i));
  }
}

// A loop that comes back to the same place in the same state, while nothing has
// changed in memory, will do so until something changes.
void WarpRunner::noteJumpBack(Strand &strand) {
  Cluster &cluster = warp.cluster;
  const uint64_t changes =
      cluster.launch.changes.load(std::memory_order_relaxed);
  if (!strand.snapshot) {
    strand.snapshot = std::make_shared<Strand::Snapshot>();
    strand.snapshot->changes = changes;
    strand.snapshot->since = warp.executed;
    return;
  }
  Strand::Snapshot &snapshot = *strand.snapshot;
  if (snapshot.changes != changes) {
    snapshot.changes = changes;
    snapshot.since = warp.executed;
    snapshot.forget();
    return;
  }
  if (!snapshot.isWatching()) {
    if (snapshot.known != strand.at &&
        warp.executed - snapshot.since < patience)
      return;
    snapshot.at = strand.at;
    strand.wait = {};
    snapshot.registers.assign(warp.registerFile,
                              warp.registerFile + warp.registerBytes);
    return;
  }
  if (snapshot.at != strand.at)
    return;
  if (repeatsItself(warp, warp.registerFile, snapshot)) {
    strand.spinning = true;
    strand.spinningSince = changes;
    snapshot.known = snapshot.at;
    strand.polls = std::move(snapshot.polls);
  }
  snapshot.since = warp.executed;
  snapshot.forget();
}

bool WarpRunner::expire() {
  std::vector<Strand *> able;
  for (const auto &strand : warp.strands)
    if (strand->blocked && strand->wait.mayTimeOut)
      able.push_back(strand.get());
  if (able.empty())
    return false;
  warp.timedOut = true;
  step(*able[warp.executed % able.size()]);
  return true;
}

void WarpRunner::checkOwned(const Instruction &instruction) {
  for (const Warp::OwnedRegisters &owned : warp.owned)
    for (size_t i = 0; i < instruction.registers.size(); ++i) {
      const Slot slot = instruction.registers[i];
      if (slot.offset < owned.begin || slot.offset >= owned.end)
        continue;
      const bool isWrite = instruction.writes(i);
      if (owned.mayRead && !isWrite)
        continue;
      Report report;
      report.finding = Finding::accumulatorTouched;
      report.sentence =
          owned.mayRead
              ? "a register of A is overwritten while wgmma may still read it: "
                "wait for its group first (wgmma.wait_group)"
              : std::string("an accumulator is ") +
                    (isWrite ? "written" : "read") +
                    " while wgmma may still write it: wait for its group "
                    "first (wgmma.wait_group)";
      report.sites.push_back(
          warp.site(isWrite ? "writes the register" : "reads the register"));
      const Instruction *current = warp.current;
      warp.current = owned.owner;
      report.sites.push_back(
          warp.site("uses it until its group is waited for"));
      warp.current = current;
      warp.cluster.launch.reporter.add(std::move(report));
      return;
    }
}

} // namespace ashlar::sim
