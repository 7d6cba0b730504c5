// mbarrier.init, inval, expect_tx, complete_tx and pending_count, and the table
// of the family (PTX ISA, "Parallel Synchronization: mbarrier").
#include "runtime/sim/instructions/mbarriers/Mbarrier.h"

#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/mbarriers/MbarrierOperand.h"
#include "runtime/sim/machine/Cluster.h"

namespace ashlar::sim {

namespace {

using ptx::Type;

uint32_t offsetOf(uint32_t address) {
  return address & ((1u << sharedRankShift) - 1);
}

struct Init final : Instruction {
  MbarrierOperand barrier;
  Slot count;
  Step execute(Warp &warp, LaneMask active) const override {
    const auto at = sharedAddresses(warp, active, barrier, "initialises it");
    const uint32_t *counts = warp.lanes<uint32_t>(count);
    forEachLane(active, [&](unsigned lane) {
      initialiseMbarrier(warp.cta, offsetOf(at[lane]), counts[lane],
                         warp.accessor(lane));
    });
    return Step::next;
  }
};

struct Invalidate final : Instruction {
  MbarrierOperand barrier;
  Step execute(Warp &warp, LaneMask active) const override {
    const auto at = sharedAddresses(warp, active, barrier, "invalidates it");
    forEachLane(active, [&](unsigned lane) {
      invalidateMbarrier(warp.cta, offsetOf(at[lane]), warp.accessor(lane));
    });
    return Step::next;
  }
};

/// expect_tx and complete_tx. The latter only simulates the signal of a copy:
/// there is no copy behind it.
struct Transactions final : Instruction {
  MbarrierOperand barrier;
  Slot bytes;
  bool completes = false;
  Step execute(Warp &warp, LaneMask active) const override {
    const char *did =
        completes ? "completes bytes on it" : "expects bytes on it";
    const auto at = sharedAddresses(warp, active, barrier, did);
    const uint32_t *counts = warp.lanes<uint32_t>(bytes);
    forEachLane(active, [&](unsigned lane) {
      const Accessor by = warp.accessor(lane, Scope::cluster);
      Mbarrier &it = useMbarrier(warp.cluster, at[lane], by, did);
      if (completes)
        completeTransactions(it, by, counts[lane]);
      else {
        noteArrival(warp, it);
        expectTransactions(it, by, counts[lane]);
      }
    });
    return Step::next;
  }
};

struct PendingCount final : Instruction {
  Slot target, state;
  Step execute(Warp &warp, LaneMask active) const override {
    uint32_t *results = warp.lanes<uint32_t>(target);
    const uint64_t *states = warp.lanes<uint64_t>(state);
    forEachLane(active, [&](unsigned lane) {
      results[lane] = MbarrierToken(states[lane]).pending;
    });
    return Step::next;
  }
};

/// Refuses an immediate outside of the range that PTX gives.
void expectRange(Decoder &decoder, const ptx::Operand &operand, int64_t least,
                 const char *what) {
  if (operand.kind == ptx::Operand::Kind::integer &&
      (operand.integer < least || operand.integer > Mbarrier::maxCount))
    decoder.refuse(std::string(what) + " is " +
                   std::to_string(operand.integer) + "; it is " +
                   std::to_string(least) + " to 1048575");
}

Decoded decodeInit(Decoder &decoder) {
  auto made = std::make_unique<Init>();
  decoder.expectOperands(2);
  made->barrier = mbarrierOperand(decoder, decoder.operand(0), false);
  expectRange(decoder, decoder.operand(1), 1, "the count of arrivals");
  made->count = decoder.source(decoder.operand(1), Type::u32);
  return made;
}

Decoded decodeInval(Decoder &decoder) {
  auto made = std::make_unique<Invalidate>();
  decoder.expectOperands(1);
  made->barrier = mbarrierOperand(decoder, decoder.operand(0), false);
  return made;
}

Decoded decodeTransactions(Decoder &decoder, bool completes) {
  auto made = std::make_unique<Transactions>();
  made->completes = completes;
  decoder.traits.arrives = !completes;
  decoder.expectOperands(2);
  if (decoder.modifiers.take("relaxed")) {
    if (decoder.modifiers.takeOneOf({"cta", "cluster"}) < 0)
      decoder.refuse("behind .relaxed the scope is missing: .cta or .cluster");
  }
  made->barrier = mbarrierOperand(decoder, decoder.operand(0), true);
  expectRange(decoder, decoder.operand(1), 0, "the transaction count");
  made->bytes = decoder.source(decoder.operand(1), Type::u32);
  return made;
}

Decoded decodePendingCount(Decoder &decoder) {
  auto made = std::make_unique<PendingCount>();
  decoder.expectOperands(2);
  if (!decoder.modifiers.take("b64"))
    decoder.refuse("the type .b64 is missing");
  made->target = decoder.target(decoder.operand(0), Type::u32);
  made->state = decoder.source(decoder.operand(1), Type::b64);
  return made;
}

Decoded decodeMbarrier(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  if (modifiers.take("init"))
    return decodeInit(decoder);
  if (modifiers.take("inval"))
    return decodeInval(decoder);
  if (modifiers.take("arrive"))
    return decodeMbarrierArrive(decoder, false);
  if (modifiers.take("arrive_drop"))
    return decodeMbarrierArrive(decoder, true);
  if (modifiers.take("expect_tx"))
    return decodeTransactions(decoder, false);
  if (modifiers.take("complete_tx"))
    return decodeTransactions(decoder, true);
  if (modifiers.take("test_wait"))
    return decodeMbarrierWait(decoder, false);
  if (modifiers.take("try_wait"))
    return decodeMbarrierWait(decoder, true);
  if (modifiers.take("pending_count"))
    return decodePendingCount(decoder);
  decoder.refuse("there is no such operation on mbarriers");
}

} // namespace

MbarrierOrder takeMbarrierOrder(Decoder &decoder, const char *strong) {
  MbarrierOrder order;
  Modifiers &modifiers = decoder.modifiers;
  const int semantics = modifiers.takeOneOf({strong, "relaxed"});
  order.relaxed = semantics == 1;
  const int scope = modifiers.takeOneOf({"cta", "cluster"});
  order.isGiven = semantics >= 0;
  order.clusterScope = scope == 1;
  if (semantics >= 0 && scope < 0)
    decoder.refuse("behind ." +
                   std::string(order.relaxed ? "relaxed" : strong) +
                   " the scope is missing: .cta or .cluster");
  if (semantics < 0 && scope >= 0)
    decoder.refuse("a scope stands without ." + std::string(strong) +
                   " or .relaxed before it");
  return order;
}

void addMbarrierInstructions(OpcodeTable &table) {
  table.add("mbarrier", decodeMbarrier, {.synchronises = true});
}

} // namespace ashlar::sim
