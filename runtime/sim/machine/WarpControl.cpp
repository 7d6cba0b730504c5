// Where the lanes of a warp go: jumps, calls, exits, and waiting for others.
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/Program.h"
#include "runtime/sim/machine/Warp.h"
#include "runtime/sim/machine/barriers/Barrier.h"
#include "runtime/sim/machine/barriers/LeftStages.h"

#include <algorithm>
#include <cstring>

namespace ashlar::sim {

Step Warp::waitFor(Wait wait) {
  if (wait.version)
    wait.seen = *wait.version;
  else
    wait.seen = cluster.changes;
  strand->wait = std::move(wait);
  timedOut = false;
  return Step::blocked;
}

/// Takes the lanes out of the executing strand: itself when they are all of
/// it, else a copy with these lanes, which the caller adds to the strands.
std::unique_ptr<Strand> Warp::split(LaneMask lanes) {
  auto other = std::make_unique<Strand>();
  other->lanes = lanes;
  other->at = strand->at;
  other->function = strand->function;
  other->calls = strand->calls;
  strand->lanes &= ~lanes;
  return other;
}

void Warp::jump(LaneMask lanes, uint32_t target) {
  const LaneMask others = strand->lanes & ~lanes;
  if (others) {
    auto staying = split(others);
    ++staying->at;
    strands.push_back(std::move(staying));
  }
  strand->at = target;
}

void Warp::jump(LaneMask lanes,
                const std::array<uint32_t, warpLanes> &targets) {
  while (lanes) {
    const uint32_t target =
        targets[static_cast<unsigned>(std::countr_zero(lanes))];
    LaneMask together = 0;
    forEachLane(lanes, [&](unsigned lane) {
      if (targets[lane] == target)
        together |= LaneMask(1) << lane;
    });
    lanes &= ~together;
    if (together == strand->lanes) {
      strand->at = target;
      return;
    }
    auto going = split(together);
    going->at = target;
    strands.push_back(std::move(going));
  }
  ++strand->at; // lanes whose guard was false
}

void Warp::enterFrame(LaneMask lanes, const Function &function) {
  for (const Function::FrameAddress &address : function.frameAddresses)
    forEachLane(lanes, [&](unsigned lane) {
      setBits(address.slot, lane, localTop[lane] + address.offset);
    });
  forEachLane(lanes,
              [&](unsigned lane) { localTop[lane] += function.frameBytes; });
}

void Warp::call(LaneMask lanes, const Function &callee, const void *site) {
  const LaneMask others = strand->lanes & ~lanes;
  if (others) {
    auto staying = split(others);
    ++staying->at;
    strands.push_back(std::move(staying));
  }
  constexpr size_t maxDepth = 4096;
  if (strand->calls.size() >= maxDepth)
    stop(Finding::other,
         "calls are nested deeper than 4096: is there a recursion without end?",
         "calls '" + callee.text->name + "'");
  Strand::Call frame{strand->function, strand->at + 1, site, nullptr};
  // A function that runs already: other calls of these lanes, or other lanes,
  // keep values in its registers.
  bool recursive = strand->function == &callee;
  for (const Strand::Call &earlier : strand->calls)
    recursive |= earlier.caller == &callee;
  if (recursive)
    frame.saved = std::make_shared<std::vector<std::byte>>(
        registerFile + callee.registersBegin,
        registerFile + callee.registersEnd);
  strand->calls.push_back(std::move(frame));
  strand->function = &callee;
  strand->at = 0;
  enterFrame(lanes, callee);
}

namespace {

/// Copies the lanes' values of whole slots: between register files, a slot is
/// not known here, but each is 32 values of one width, so a copy lane by lane
/// goes by the function's own slots.
void restoreLanes(std::byte *to, const std::vector<std::byte> &from,
                  uint32_t begin, LaneMask lanes,
                  const std::vector<Slot> &slots) {
  for (Slot slot : slots) {
    const std::byte *saved = from.data() + (slot.offset - begin);
    std::byte *target = to + slot.offset;
    if (slot.laneBytes == 0) {
      LaneMask old, now;
      std::memcpy(&old, saved, sizeof old);
      std::memcpy(&now, target, sizeof now);
      now = (now & ~lanes) | (old & lanes);
      std::memcpy(target, &now, sizeof now);
      continue;
    }
    forEachLane(lanes, [&](unsigned lane) {
      std::memcpy(target + lane * slot.laneBytes, saved + lane * slot.laneBytes,
                  slot.laneBytes);
    });
  }
}

} // namespace

void Warp::returnFromCall(LaneMask lanes) {
  if (strand->calls.empty()) {
    exitLanes(lanes);
    return;
  }
  const LaneMask others = strand->lanes & ~lanes;
  if (others) {
    auto staying = split(others);
    ++staying->at;
    strands.push_back(std::move(staying));
  }
  const Strand::Call frame = strand->calls.back();
  const Function &callee = *strand->function;
  forEachLane(lanes,
              [&](unsigned lane) { localTop[lane] -= callee.frameBytes; });
  if (frame.saved)
    restoreLanes(registerFile, *frame.saved, callee.registersBegin, lanes,
                 callee.slots);
  strand->calls.pop_back();
  strand->function = frame.caller;
  strand->at = frame.returnTo;
}

void Warp::leaveBehind(LaneMask lanes) { strands.push_back(split(lanes)); }

const void *Warp::callSite() const {
  return strand->calls.empty() ? nullptr : strand->calls.back().site;
}

void Warp::exitLanes(LaneMask lanes) {
  const LaneMask others = strand->lanes & ~lanes;
  if (others) {
    auto staying = split(others);
    ++staying->at;
    strands.push_back(std::move(staying));
  }
  strand->lanes = 0; // the runner removes it
  live &= ~lanes;
  cta.liveThreads -= static_cast<uint32_t>(std::popcount(lanes));
  ++strandChanges;
  noteExit(*this, lanes);
  if (!live)
    for (const auto &check : exitChecks)
      check(*this);
  if (std::ranges::all_of(cluster.ctas, &Cta::exited,
                          [](const auto &each) -> Cta & { return *each; }))
    reportLeftStages(*this);
  cluster.noteProgress();
}

bool Warp::gather(LaneMask active, LaneMask members) {
  const LaneMask missing = members & live & ~active;
  if (!missing)
    return true;
  Wait wait;
  wait.version = &strandChanges;
  wait.describe = [this, missing] {
    std::string lanes;
    forEachLane(missing & live, [&](unsigned lane) {
      lanes += (lanes.empty() ? "" : ", ") + std::to_string(lane);
    });
    return "waits at an instruction that all lanes of the warp must execute "
           "together; lanes that have not come: " +
           lanes;
  };
  waitFor(std::move(wait));
  return false;
}

} // namespace ashlar::sim
