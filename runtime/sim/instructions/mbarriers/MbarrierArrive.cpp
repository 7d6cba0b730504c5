// mbarrier.arrive and mbarrier.arrive_drop.
#include "runtime/sim/instructions/mbarriers/Mbarrier.h"

#include "runtime/sim/instructions/mbarriers/MbarrierOperand.h"
#include "runtime/sim/machine/Cluster.h"

#include <optional>

namespace ashlar::sim {

namespace {

using ptx::Type;

struct Arrive final : Instruction {
  MbarrierOperand barrier;
  std::optional<Slot> count, transactions, state;
  bool drop = false, noComplete = false, relaxed = false;

  void publish(Warp &warp, LaneMask lanes, Mbarrier &it) const {
    if (relaxed)
      warp.releaseRelaxed(lanes, it.arrived);
    else
      warp.release(lanes, it.arrived);
  }

  void setState(Warp &warp, unsigned lane, uint64_t value) const {
    if (state)
      warp.lanes<uint64_t>(*state)[lane] = value;
  }

  uint32_t countOf(Warp &warp, unsigned lane) const {
    return count ? warp.lanes<uint32_t>(*count)[lane] : 1;
  }

  /// One after the other, as a phase may end between them.
  void arriveSingly(Warp &warp, LaneMask lanes, Mbarrier &it) const {
    forEachLane(lanes, [&](unsigned lane) {
      const Accessor by = warp.accessor(lane, Scope::cluster);
      publish(warp, LaneMask(1) << lane, it);
      if (transactions)
        expectTransactions(it, by, warp.lanes<uint32_t>(*transactions)[lane]);
      setState(warp, lane,
               arrive(it, by, countOf(warp, lane), drop, noComplete));
    });
  }

  void arriveTogether(Warp &warp, LaneMask lanes, Mbarrier &it,
                      uint32_t each) const {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const Accessor by = warp.accessor(first, Scope::cluster);
    MbarrierToken token(it);
    publish(warp, lanes, it);
    arrive(it, by, each * static_cast<uint32_t>(std::popcount(lanes)), drop,
           noComplete);
    if (state)
      forEachLane(lanes, [&](unsigned lane) {
        setState(warp, lane, token.state());
        token.pending -= each;
      });
  }

  Step execute(Warp &warp, LaneMask active) const override {
    const auto at = sharedAddresses(warp, active, barrier, "arrives on it");
    for (LaneMask rest = active; rest;) {
      const LaneMask group = sameAsFirst(rest, at);
      rest &= ~group;
      const auto first = static_cast<unsigned>(std::countr_zero(group));
      Mbarrier &it =
          useMbarrier(warp.cluster, at[first],
                      warp.accessor(first, Scope::cluster), "arrives on it");
      noteArrival(warp, it);
      const uint32_t each = countOf(warp, first);
      bool uniform = !transactions;
      forEachLane(group, [&](unsigned lane) {
        uniform &= countOf(warp, lane) == each;
      });
      const uint64_t total =
          uint64_t(each) * static_cast<uint32_t>(std::popcount(group));
      if (uniform && each != 0 && total <= it.pending)
        arriveTogether(warp, group, it, each);
      else
        arriveSingly(warp, group, it);
    }
    return Step::next;
  }
};

} // namespace

Decoded decodeMbarrierArrive(Decoder &decoder, bool drop) {
  auto made = std::make_unique<Arrive>();
  made->drop = drop;
  decoder.traits.arrives = true;
  Modifiers &modifiers = decoder.modifiers;
  const bool expects = modifiers.take("expect_tx");
  made->noComplete = modifiers.take("noComplete");
  if (expects && made->noComplete)
    decoder.refuse(".expect_tx and .noComplete exclude each other");
  const MbarrierOrder order = takeMbarrierOrder(decoder, "release");
  made->relaxed = order.relaxed;
  // ptxas takes .noComplete behind the order as well.
  if (!expects && !made->noComplete)
    made->noComplete = modifiers.take("noComplete");
  if (made->noComplete && (order.relaxed || order.clusterScope))
    decoder.refuse(".noComplete takes .release.cta only");
  const bool remote = modifiers.next() == "shared::cluster";
  if (remote && made->noComplete)
    decoder.refuse(".noComplete takes barriers of the CTA's own only");
  if (expects || made->noComplete)
    decoder.expectOperands(3);
  else
    decoder.expectOperands(2, 3);
  const ptx::Operand &state = decoder.operand(0);
  const bool sink = state.kind == ptx::Operand::Kind::sink;
  if (remote && !sink)
    decoder.refuse("with .shared::cluster there is no state: write '_'");
  made->barrier =
      mbarrierOperand(decoder, decoder.operand(1), !made->noComplete);
  // PTX 8.0 lets a generic address lead to another CTA, but only without state.
  made->barrier.mayBeRemote &= sink;
  if (!sink)
    made->state = decoder.target(state, Type::b64);
  if (decoder.operandCount() < 3)
    return made;
  const ptx::Operand &amount = decoder.operand(2);
  const Slot slot = decoder.source(amount, Type::u32);
  if (amount.kind == ptx::Operand::Kind::integer &&
      (amount.integer < (expects ? 0 : 1) ||
       amount.integer > Mbarrier::maxCount))
    decoder.refuse(
        std::string(expects ? "the transaction count" : "the count") + " is " +
        std::to_string(amount.integer) + "; it is " + (expects ? "0" : "1") +
        " to 1048575");
  (expects ? made->transactions : made->count) = slot;
  return made;
}

} // namespace ashlar::sim
