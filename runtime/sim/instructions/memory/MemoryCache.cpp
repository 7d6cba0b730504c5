// Instructions on caches: prefetch, prefetchu, discard, applypriority,
// createpolicy. There are no caches here, so that only discard, which takes
// the value of memory away, does anything; the others' operands are checked.
#include "runtime/sim/instructions/memory/Memory.h"

#include "runtime/sim/instructions/memory/MemoryQualifiers.h"
#include "runtime/sim/machine/Launch.h"
#include "runtime/sim/machine/memory/AccessReport.h"

namespace ashlar::sim {
namespace {

using ptx::StateSpace;
using ptx::Type;

struct NoEffect final : Instruction {
  Step execute(Warp &, LaneMask) const override { return Step::next; }
};

/// The lines that discard and applypriority work on.
constexpr unsigned lineBytes = 128;

struct Discard final : Instruction {
  MemoryOperand at;

  Step execute(Warp &warp, LaneMask active) const override {
    const LaneAddresses addresses = at.addresses(warp, active);
    std::lock_guard guard(warp.cluster.launch.memory.lock);
    forEachLane(active, [&](unsigned lane) {
      const Location place = warp.cluster.locate(
          warp.cta, warp.index * warpLanes + lane, at.space, addresses[lane]);
      if (!isWithin(place, lineBytes) ||
          place.block->kind != MemoryBlock::Kind::global)
        warp.stop(Finding::outOfBounds,
                  outOfBoundsSentence(warp.cluster, place, lineBytes),
                  "discards a line", static_cast<int>(lane));
      if (addresses[lane] % lineBytes)
        warp.stop(Finding::misaligned,
                  "the address " + hexadecimal(addresses[lane]) +
                      " is not a multiple of 128",
                  "discards a line", static_cast<int>(lane));
      const Accessor accessor = warp.accessor(lane);
      place.block->track(AccessKind::write, place.offset, lineBytes, accessor,
                         [&](const MemoryBlock::Conflict &conflict) {
                           warp.cluster.reportConflict(*place.block, conflict,
                                                       accessor,
                                                       AccessKind::write);
                         });
      place.block->setUninitialised(place.offset, lineBytes);
    });
    return Step::next;
  }
};

/// `.global` or nothing, for generic addresses in it.
StateSpace takeGlobal(Decoder &decoder) {
  return decoder.modifiers.take("global") ? StateSpace::global
                                          : StateSpace::generic;
}

MemoryOperand operandIn(Decoder &decoder, size_t index, StateSpace space) {
  MemoryQualifiers qualifiers;
  qualifiers.space = space;
  return memoryOperand(decoder, decoder.operand(index), qualifiers);
}

void expectLine(Decoder &decoder) {
  decoder.expectOperands(2);
  if (decoder.immediate(decoder.operand(1)) != lineBytes)
    decoder.refuse("the size must be 128");
}

} // namespace

Decoded decodePrefetch(Decoder &decoder) {
  const int space = decoder.modifiers.takeOneOf(
      {"global", "local", "const", "param", "param::entry"});
  constexpr StateSpace spaces[] = {StateSpace::global, StateSpace::local,
                                   StateSpace::constant, StateSpace::parameter,
                                   StateSpace::parameter};
  const bool isTensorMap = decoder.modifiers.take("tensormap");
  if (isTensorMap ? space == 0 || space == 1 : space >= 2)
    decoder.refuse(isTensorMap
                       ? ".tensormap stands with .const, .param or generic "
                         "addresses"
                       : "only .tensormap stands with .const and .param");
  if (!isTensorMap) {
    const int level = decoder.modifiers.takeOneOf(
        {"L1", "L2", "L2::evict_last", "L2::evict_normal"});
    if (level < 0)
      decoder.refuse("the level is missing: .L1 or .L2");
    if (level >= 2 && space != 0)
      decoder.refuse("eviction priorities are for .global");
  }
  decoder.expectOperands(1);
  operandIn(decoder, 0, space < 0 ? StateSpace::generic : spaces[space]);
  return std::make_unique<NoEffect>();
}

Decoded decodePrefetchUniform(Decoder &decoder) {
  if (!decoder.modifiers.take("L1"))
    decoder.refuse("prefetchu has the level .L1 only");
  decoder.expectOperands(1);
  operandIn(decoder, 0, StateSpace::generic);
  return std::make_unique<NoEffect>();
}

Decoded decodeDiscard(Decoder &decoder) {
  const StateSpace space = takeGlobal(decoder);
  if (!decoder.modifiers.take("L2"))
    decoder.refuse("discard has the level .L2 only");
  expectLine(decoder);
  auto discard = std::make_unique<Discard>();
  discard->at = operandIn(decoder, 0, space);
  return discard;
}

Decoded decodeApplyPriority(Decoder &decoder) {
  const StateSpace space = takeGlobal(decoder);
  if (!decoder.modifiers.take("L2::evict_normal"))
    decoder.refuse("applypriority has the priority .L2::evict_normal only");
  expectLine(decoder);
  operandIn(decoder, 0, space);
  return std::make_unique<NoEffect>();
}

namespace {

/// A cache policy is opaque (PTX ISA, createpolicy): one constant for all.
struct CreatePolicy final : Instruction {
  Slot target;
  Step execute(Warp &warp, LaneMask active) const override {
    auto *policies = warp.lanes<uint64_t>(target);
    forEachLane(active, [&](unsigned lane) { policies[lane] = 0; });
    return Step::next;
  }
};

void takePriorities(Decoder &decoder) {
  if (decoder.modifiers.takeOneOf({"L2::evict_last", "L2::evict_normal",
                                   "L2::evict_first", "L2::evict_unchanged"}) <
      0)
    decoder.refuse("the primary priority is missing, as .L2::evict_last");
  decoder.modifiers.takeOneOf({"L2::evict_first", "L2::evict_unchanged"});
}

} // namespace

Decoded decodeCreatePolicy(Decoder &decoder) {
  const int form = decoder.modifiers.takeOneOf({"fractional", "range", "cvt"});
  switch (form) {
  case 0:
    takePriorities(decoder);
    decoder.expectOperands(1, 2);
    if (decoder.operandCount() == 2)
      decoder.source(decoder.operand(1), Type::f32);
    break;
  case 1: {
    const StateSpace space = takeGlobal(decoder);
    takePriorities(decoder);
    decoder.expectOperands(4);
    operandIn(decoder, 1, space);
    decoder.source(decoder.operand(2), Type::u32);
    decoder.source(decoder.operand(3), Type::u32);
    break;
  }
  case 2:
    if (!decoder.modifiers.take("L2"))
      decoder.refuse(".L2 is missing");
    decoder.expectOperands(2);
    decoder.source(decoder.operand(1), Type::b64);
    break;
  default:
    decoder.refuse("the form is missing: .fractional, .range or .cvt");
  }
  if (!decoder.modifiers.take("b64"))
    decoder.refuse("the type must be .b64");
  auto made = std::make_unique<CreatePolicy>();
  made->target = decoder.target(decoder.operand(0), Type::b64);
  return made;
}

Decoded refuseMultimem(Decoder &decoder) {
  decoder.refuse("multimem instructions work on multicast objects of several "
                 "GPUs, of which the simulator has one");
}

} // namespace ashlar::sim
