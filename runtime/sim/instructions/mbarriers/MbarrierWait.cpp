// mbarrier.test_wait and mbarrier.try_wait.
#include "runtime/sim/instructions/mbarriers/Mbarrier.h"

#include "runtime/sim/instructions/mbarriers/MbarrierOperand.h"
#include "runtime/sim/machine/Cluster.h"

#include <optional>

namespace ashlar::sim {

namespace {

using ptx::Type;

struct MbarrierWait final : Instruction {
  MbarrierOperand barrier;
  Slot phase; // the parity (b32), or the state (b64)
  Slot target;
  bool byParity = false, relaxed = false, mayBlock = false;

  /// Whether the phase that the lane means has completed; `parity` is set. Of a
  /// register the lowest bit counts: ptxas shifts the others out. A counter of
  /// phases will do.
  bool isComplete(Warp &warp, unsigned lane, const Mbarrier &it,
                  uint32_t &parity) const {
    if (byParity) {
      parity = warp.lanes<uint32_t>(phase)[lane] & 1;
      return it.hasCompleted(parity);
    }
    const MbarrierToken token(warp.lanes<uint64_t>(phase)[lane]);
    parity = token.phase & 1;
    const uint32_t passed = (it.phase - token.phase) & MbarrierToken::phaseMask;
    if (passed > 1)
      warp.stop(Finding::mbarrierMisuse,
                "the state is of phase " + std::to_string(token.phase) +
                    ", and the barrier is at phase " +
                    std::to_string(it.phase) +
                    ": a wait takes the state of the current phase or of the "
                    "one before",
                "waits on it", static_cast<int>(lane));
    return passed == 1;
  }

  /// What the lanes that need not wait learn: all of the barrier's group have
  /// the same phase before them, so its publications are those of `completed`.
  void learn(Warp &warp, LaneMask lanes, const Mbarrier &it) const {
    if (relaxed)
      warp.acquireRelaxed(lanes, it.completed);
    else
      warp.acquire(lanes, it.completed);
  }

  bool givesUp(Warp &warp) const {
    Schedule &schedule = warp.cluster.schedule;
    return !mayBlock || warp.timedOut ||
           (schedule.order() == Schedule::Order::random &&
            schedule.chance(1.0 / 16));
  }

  Step execute(Warp &warp, LaneMask active) const override {
    const auto at = sharedAddresses(warp, active, barrier, "waits on it");
    LaneMask complete = 0;
    const Mbarrier *open = nullptr; // one whose phase is not complete
    uint32_t openParity = 0;
    bool several = false;
    for (LaneMask rest = active; rest;) {
      const LaneMask group = sameAsFirst(rest, at);
      rest &= ~group;
      const auto first = static_cast<unsigned>(std::countr_zero(group));
      Mbarrier &it =
          useMbarrier(warp.cluster, at[first],
                      warp.accessor(first, Scope::cluster), "waits on it");
      LaneMask done = 0;
      forEachLane(group, [&](unsigned lane) {
        uint32_t parity = 0;
        if (isComplete(warp, lane, it, parity)) {
          done |= LaneMask(1) << lane;
        } else {
          several |= open && (open != &it || openParity != parity);
          open = &it;
          openParity = parity;
        }
      });
      if (done) {
        learn(warp, done, it);
        notePass(warp, it);
      }
      complete |= done;
    }
    const bool blocks = !complete && !givesUp(warp);
    if (blocks || (!complete && warp.polls)) {
      Wait wait;
      if (!several)
        wait.version = &open->version;
      wait.mayTimeOut = true;
      wait.describe = [open, openParity] {
        return describeWaitOn(*open, openParity);
      };
      wait.cause = [open, openParity] {
        return nearestCause(*open, openParity);
      };
      if (blocks)
        return warp.waitFor(std::move(wait));
      warp.lookFor(std::move(wait));
    }
    warp.setPredicate(target, active, complete);
    return Step::next;
  }
};

} // namespace

Decoded decodeMbarrierWait(Decoder &decoder, bool mayBlock) {
  auto made = std::make_unique<MbarrierWait>();
  made->mayBlock = mayBlock;
  made->byParity = decoder.modifiers.take("parity");
  made->relaxed = takeMbarrierOrder(decoder, "acquire").relaxed;
  decoder.expectOperands(3, mayBlock ? 4 : 3);
  if (decoder.operand(0).kind == ptx::Operand::Kind::sink)
    decoder.refuse("the predicate that tells whether the phase has completed "
                   "can't be '_'");
  made->target = decoder.predicateTarget(decoder.operand(0));
  made->barrier = mbarrierOperand(decoder, decoder.operand(1), false);
  const ptx::Operand &phase = decoder.operand(2);
  if (made->byParity && phase.kind == ptx::Operand::Kind::integer &&
      (phase.integer < 0 || phase.integer > 1))
    decoder.refuse("the parity of a phase is 0 or 1");
  made->phase = decoder.source(phase, made->byParity ? Type::u32 : Type::b64);
  // The time hint only tells the hardware how long a suspended thread sleeps.
  if (decoder.operandCount() == 4)
    decoder.source(decoder.operand(3), Type::u32);
  return made;
}

} // namespace ashlar::sim
