// setmaxnreg (PTX ISA, "setmaxnreg").
//
// A warp owns registers per thread; what a .dec gives up goes to a pool of the
// CTA, on which an .inc draws, waiting if there is too little. With how many a
// warp starts is known only where the kernel bounds it; else ptxas ignores the
// instruction, and so does this.
#include "runtime/sim/instructions/miscellaneous/RegisterPool.h"

#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

constexpr uint32_t leastRegisters = 24, mostRegisters = 256;
constexpr unsigned warpsOfGroup = 4;

/// What a warp owns.
struct OwnedCount {
  uint32_t perThread = 0; // 0: it has executed no setmaxnreg yet
  std::vector<const Instruction *> executed;
};

uint64_t countOf(const ptx::Dimensions &size) {
  return uint64_t(size.x) * size.y * size.z;
}

/// Of what the setmaxnreg.inc of the code asks for; 0 when there is none.
uint32_t greatestIncrease(const ptx::Module &module, const Reach &reach) {
  int64_t greatest = 0;
  for (uint32_t function : reach.functions)
    for (const ptx::Instruction &each : module.functions[function].body)
      if (each.opcode == "setmaxnreg" && !each.modifiers.empty() &&
          each.modifiers.front() == "inc" && !each.operands.empty())
        greatest = std::max(greatest, each.operands.front().integer);
  return static_cast<uint32_t>(std::min<int64_t>(greatest, mostRegisters));
}

struct SetRegisters final : Instruction {
  uint32_t count = 0;
  bool increases = false;

  Step execute(Warp &warp, LaneMask) const override {
    const uint32_t start = warp.cluster.launch.kernel.startingRegisters;
    if (start == 0)
      return Step::next;
    auto &owned = warp.state<OwnedCount>();
    if (owned.perThread == 0)
      owned.perThread = start;
    checkWarpgroup(warp);
    const std::string did = "sets its registers to " + std::to_string(count);
    if (!increases) {
      if (count > owned.perThread)
        warp.stop(Finding::registerLimit,
                  "setmaxnreg.dec to " + std::to_string(count) +
                      " registers, and the warp has " +
                      std::to_string(owned.perThread) +
                      ": use .inc, or a lower count",
                  did);
      warp.cta.registersFree += (owned.perThread - count) * warpLanes;
      warp.cluster.noteProgress();
      return finish(owned);
    }
    if (count < owned.perThread)
      warp.stop(Finding::registerLimit,
                "setmaxnreg.inc to " + std::to_string(count) +
                    " registers, and the warp has " +
                    std::to_string(owned.perThread) +
                    ": use .dec, or a higher count",
                did);
    const uint32_t needed = (count - owned.perThread) * warpLanes;
    if (needed > warp.cta.registersFree)
      return waitForRegisters(warp, start, needed, did);
    warp.cta.registersFree -= needed;
    return finish(owned);
  }

  Step finish(OwnedCount &owned) const {
    owned.perThread = count;
    owned.executed.push_back(this);
    return Step::next;
  }

  Step waitForRegisters(Warp &warp, uint32_t start, uint32_t needed,
                        const std::string &did) const {
    const auto warps = static_cast<uint32_t>(warp.cta.warps.size());
    // This warpgroup's warps at the count, all others at the least there is.
    const uint32_t group = std::min(warps, warpsOfGroup);
    const uint32_t least = group * count + (warps - group) * leastRegisters;
    if (least > warps * start)
      warp.stop(Finding::registerLimit,
                "setmaxnreg.inc to " + std::to_string(count) +
                    " registers can never succeed: the CTA has " +
                    std::to_string(warps * start * warpLanes) + " registers (" +
                    std::to_string(start) +
                    " a thread), and even with all other warps at 24 it would "
                    "take " +
                    std::to_string(least * warpLanes),
                did);
    Wait wait;
    wait.describe = [cta = &warp.cta, count = count, needed] {
      return "waits in setmaxnreg.inc to " + std::to_string(count) + " for " +
             std::to_string(needed) + " registers; the pool of " + cta->name() +
             " has " + std::to_string(cta->registersFree);
    };
    wait.cause = [cta = &warp.cta, needed]() -> Wait::Cause {
      return {Wait::Cause::noRegisters,
              "the pool lacks " + std::to_string(needed - cta->registersFree) +
                  " registers, and nobody gives them up: let other warps give "
                  "up more (setmaxnreg.dec) before they wait, or ask for less"};
    };
    return warp.waitFor(std::move(wait));
  }

  /// The warps of a warpgroup must execute the same ones in the same order.
  /// Where they execute different ones that ask for the same, as the idle warps
  /// of other compilers do, the registers are as they should be.
  void checkWarpgroup(Warp &warp) const {
    const size_t turn = warp.state<OwnedCount>().executed.size();
    const size_t first = warp.index / warpsOfGroup * warpsOfGroup;
    const size_t end = std::min(first + warpsOfGroup, warp.cta.warps.size());
    for (size_t index = first; index < end; ++index) {
      const auto &others = warp.cta.warps[index]->state<OwnedCount>().executed;
      if (turn >= others.size() || others[turn] == this)
        continue;
      const std::string what =
          "warps " + std::to_string(warp.index) + " and " +
          std::to_string(index) +
          " of one warpgroup execute different setmaxnreg: all four must "
          "execute the same one";
      const auto &other = static_cast<const SetRegisters &>(*others[turn]);
      if (other.count != count || other.increases != increases)
        warp.stop(Finding::divergent, what, "executes it");
      if (warp.cluster.launch.reporter.isNew(Finding::divergent, this, &other))
        warp.reportHarmless(Finding::divergent,
                            what + "; both ask for " + std::to_string(count) +
                                " registers",
                            "executes it");
    }
  }
};

} // namespace

uint32_t startingRegisters(const ptx::Module &module, uint32_t kernel,
                           const Reach &reach) {
  const ptx::Function &text = module.functions[kernel];
  uint64_t bound = text.maximumRegisters.value_or(0);
  const auto &threads =
      text.requiredThreads ? text.requiredThreads : text.maximumThreads;
  if (threads && text.minimumBlocks && countOf(*threads)) {
    constexpr uint64_t warpgroup = warpsOfGroup * warpLanes;
    const uint64_t block =
        (countOf(*threads) + warpgroup - 1) / warpgroup * warpgroup;
    const uint64_t each =
        registersPerSm / (block * std::max(*text.minimumBlocks, 1u)) / 8 * 8;
    bound = bound ? std::min(bound, each) : each;
  }
  const uint32_t increase = greatestIncrease(module, reach);
  if (increase)
    bound = std::min<uint64_t>(bound, increase);
  // The register file is given out in steps of 8 a thread.
  return static_cast<uint32_t>(
      std::min<uint64_t>((bound + 7) / 8 * 8, mostRegisters));
}

Decoded decodeSetRegisters(Decoder &decoder) {
  auto made = std::make_unique<SetRegisters>();
  const int action = decoder.modifiers.takeOneOf({"inc", "dec"});
  if (action < 0)
    decoder.refuse("the action is missing: .inc or .dec");
  made->increases = action == 0;
  const auto need = [&](bool isTaken, const std::string &modifier) {
    if (!isTaken)
      decoder.refuse("." + modifier + " is missing: it is written setmaxnreg." +
                     (action == 0 ? "inc" : "dec") + ".sync.aligned.u32");
  };
  need(decoder.modifiers.take("sync"), "sync");
  need(decoder.takeAligned(), "aligned");
  need(decoder.modifiers.take("u32"), "u32");
  decoder.expectOperands(1);
  const int64_t count = decoder.immediate(decoder.operand(0));
  if (count < leastRegisters || count > mostRegisters || count % 8)
    decoder.refuse("the count of registers is " + std::to_string(count) +
                   "; it must be a multiple of 8 from 24 to 256");
  made->count = static_cast<uint32_t>(count);
  return made;
}

} // namespace ashlar::sim
