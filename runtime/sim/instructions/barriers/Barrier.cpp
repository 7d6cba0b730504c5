// bar, barrier (PTX ISA, "barrier{.cta}, bar{.cta}") and bar.warp.sync.
#include "runtime/sim/machine/barriers/Barrier.h"

#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/barriers/Barrier.h"
#include "runtime/sim/instructions/warp/MemberLanes.h"

#include <optional>

namespace ashlar::sim {

namespace {

using ptx::Operand;
using ptx::Type;
using Use = NamedBarrier::Use;

/// The lanes that have arrived at a barrier and wait for it to complete: they
/// stand at the instruction, and don't arrive again when it is tried again.
struct Waiting {
  LaneMask lanes = 0;
  std::array<uint64_t, warpLanes> generation{};
};

struct CtaBarrier final : Instruction {
  Use use = Use::sync;
  Slot id, predicate, target;
  std::optional<Slot> count;
  bool negated = false;

  void arriveAll(Warp &warp, LaneMask lanes) const {
    const uint32_t *ids = warp.lanes<uint32_t>(id);
    LaneMask predicates = 0;
    if (use != Use::sync && use != Use::arrive)
      predicates =
          negated ? ~warp.predicate(predicate) : warp.predicate(predicate);
    while (lanes) {
      const auto first = static_cast<unsigned>(std::countr_zero(lanes));
      LaneMask group = 0;
      forEachLane(lanes, [&](unsigned lane) {
        const bool same = ids[lane] == ids[first] &&
                          (!count || warp.lanes<uint32_t>(*count)[lane] ==
                                         warp.lanes<uint32_t>(*count)[first]);
        group |= static_cast<LaneMask>(same) << lane;
      });
      lanes &= ~group;
      if (lanes && traits.aligned)
        warp.stop(Finding::barrierMisuse,
                  "the lanes of a warp give different barriers or thread "
                  "counts: they must be the same in all lanes",
                  "arrives at barriers");
      std::optional<uint32_t> threads;
      if (count)
        threads = warp.lanes<uint32_t>(*count)[first];
      noteGeneration(warp, group, ids[first]);
      arriveAtBarrier(warp, group, ids[first], threads, use, predicates);
    }
  }

  void noteGeneration(Warp &warp, LaneMask group, uint32_t id) const {
    if (use == Use::arrive || id >= warp.cta.barriers.size())
      return;
    auto &waiting = warp.state<Waiting>();
    waiting.lanes |= group;
    forEachLane(group, [&](unsigned lane) {
      waiting.generation[lane] = warp.cta.barriers[id].generation;
    });
  }

  Step execute(Warp &warp, LaneMask active) const override {
    if (use == Use::arrive) {
      arriveAll(warp, active);
      return Step::next;
    }
    auto &waiting = warp.state<Waiting>();
    if (const LaneMask newcomers = active & ~waiting.lanes)
      arriveAll(warp, newcomers);
    const uint32_t *ids = warp.lanes<uint32_t>(id);
    const NamedBarrier *open = nullptr;
    uint32_t openId = 0;
    forEachLane(active, [&](unsigned lane) {
      const NamedBarrier &barrier = warp.cta.barriers[ids[lane]];
      if (barrier.generation == waiting.generation[lane]) {
        open = &barrier;
        openId = ids[lane];
      }
    });
    if (open) {
      Wait wait;
      wait.version = &open->version;
      wait.describe = [cta = &warp.cta, openId] {
        return describeBarrier(*cta, openId);
      };
      wait.cause = [cta = &warp.cta, openId] {
        return causeAtBarrier(*cta, openId);
      };
      return warp.waitFor(std::move(wait));
    }
    waiting.lanes &= ~active;
    leave(warp, active);
    return Step::next;
  }

  /// The lanes learn what all who arrived have published, and the result.
  void leave(Warp &warp, LaneMask active) const {
    const uint32_t *ids = warp.lanes<uint32_t>(id);
    while (active) {
      const auto first = static_cast<unsigned>(std::countr_zero(active));
      LaneMask group = 0;
      forEachLane(active, [&](unsigned lane) {
        group |= static_cast<LaneMask>(ids[lane] == ids[first]) << lane;
      });
      active &= ~group;
      const NamedBarrier &barrier = warp.cta.barriers[ids[first]];
      warp.acquire(group, barrier.completed);
      if (use == Use::count) {
        uint32_t *results = warp.lanes<uint32_t>(target);
        forEachLane(
            group, [&](unsigned lane) { results[lane] = barrier.resultCount; });
      } else if (use != Use::sync) {
        const bool result = use == Use::conjunction ? barrier.resultConjunction
                                                    : barrier.resultDisjunction;
        warp.setPredicate(target, group, result ? allLanes : 0);
      }
    }
  }
};

struct WarpBarrier final : Instruction {
  Slot members;
  Step execute(Warp &warp, LaneMask active) const override {
    auto synchronise = [&](LaneMask group) { warp.synchroniseLanes(group); };
    if (!forEachGroup(warp, active, members, "synchronises", synchronise))
      return Step::blocked;
    return Step::next;
  }
};

void readId(Decoder &decoder, CtaBarrier &barrier, const Operand &operand) {
  if (operand.kind == Operand::Kind::integer &&
      (operand.integer < 0 || operand.integer > 15))
    decoder.refuse("there is no barrier " + std::to_string(operand.integer) +
                   ": their numbers are 0 to 15");
  barrier.id = decoder.source(operand, Type::u32);
}

void readCount(Decoder &decoder, CtaBarrier &barrier, const Operand &operand) {
  if (operand.kind == Operand::Kind::integer &&
      (operand.integer <= 0 || operand.integer % warpLanes ||
       operand.integer > 1024))
    decoder.refuse("the thread count is " + std::to_string(operand.integer) +
                   ": it must be a multiple of the warp size, 32 to 1024");
  barrier.count = decoder.source(operand, Type::u32);
}

/// barrier.sync a {, b}; barrier.arrive a, b.
Decoded decodeSync(Decoder &decoder, Use use) {
  auto made = std::make_unique<CtaBarrier>();
  made->use = use;
  decoder.takeAligned();
  decoder.traits.arrives = use == Use::arrive;
  decoder.expectOperands(use == Use::arrive ? 2 : 1, 2);
  readId(decoder, *made, decoder.operand(0));
  if (decoder.operandCount() == 2)
    readCount(decoder, *made, decoder.operand(1));
  return made;
}

/// barrier.red.op{.aligned}.type d, a {, b}, {!}c.
Decoded decodeReduction(Decoder &decoder) {
  auto made = std::make_unique<CtaBarrier>();
  Modifiers &modifiers = decoder.modifiers;
  const int operation = modifiers.takeOneOf({"popc", "and", "or"});
  if (operation < 0)
    decoder.refuse("the operation behind .red is missing: .popc, .and or .or");
  made->use = operation == 0   ? Use::count
              : operation == 1 ? Use::conjunction
                               : Use::disjunction;
  decoder.takeAligned();
  if (!modifiers.take(operation == 0 ? "u32" : "pred"))
    decoder.refuse(operation == 0 ? ".red.popc has the type .u32"
                                  : ".red.and and .red.or have the type .pred");
  decoder.expectOperands(3, 4);
  made->target = operation == 0 ? decoder.target(decoder.operand(0), Type::u32)
                                : decoder.predicateTarget(decoder.operand(0));
  readId(decoder, *made, decoder.operand(1));
  if (decoder.operandCount() == 4)
    readCount(decoder, *made, decoder.operand(2));
  made->predicate = decoder.predicateSource(
      decoder.operand(decoder.operandCount() - 1), made->negated);
  return made;
}

Decoded decodeCtaBarrier(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  modifiers.take("cta");
  switch (modifiers.takeOneOf({"sync", "arrive", "red"})) {
  case 0:
    return decodeSync(decoder, Use::sync);
  case 1:
    return decodeSync(decoder, Use::arrive);
  case 2:
    return decodeReduction(decoder);
  }
  decoder.refuse("there is no such operation on barriers: use .sync, .arrive "
                 "or .red");
}

Decoded decodeBar(Decoder &decoder) {
  if (decoder.modifiers.take("warp")) {
    if (!decoder.modifiers.take("sync"))
      decoder.refuse("bar.warp has .sync only");
    decoder.traits.aligned = false;
    decoder.expectOperands(1);
    auto made = std::make_unique<WarpBarrier>();
    made->members = decoder.source(decoder.operand(0), Type::b32);
    return made;
  }
  // bar is barrier with .aligned, which it can't name itself.
  for (const std::string &modifier : decoder.text.modifiers)
    if (modifier == "aligned")
      decoder.refuse("bar is always aligned; .aligned is barrier's");
  return decodeCtaBarrier(decoder);
}

Decoded decodeBarrier(Decoder &decoder) {
  if (decoder.modifiers.take("cluster"))
    return decodeClusterBarrier(decoder);
  return decodeCtaBarrier(decoder);
}

} // namespace

void addBarrierInstructions(OpcodeTable &table) {
  table.add("bar", decodeBar, {.aligned = true, .synchronises = true});
  table.add("barrier", decodeBarrier, {.synchronises = true});
  table.add("fence", decodeFence, {.synchronises = true});
  table.add("membar", decodeMembar);
}

} // namespace ashlar::sim
