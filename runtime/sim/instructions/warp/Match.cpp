// match.sync (PTX ISA, "match.sync").
#include "runtime/sim/instructions/warp/MemberLanes.h"
#include "runtime/sim/instructions/warp/WarpInstructions.h"

#include <optional>

namespace ashlar::sim {

namespace {

using ptx::Operand;
using ptx::Type;

template <class Value> struct Match final : Instruction {
  bool all = false;
  Slot target, value, members;
  std::optional<Slot> matched;

  Step execute(Warp &warp, LaneMask active) const override {
    const Value *values = warp.lanes<Value>(value);
    uint32_t results[warpLanes];
    LaneMask equal = 0;
    auto compare = [&](LaneMask group) {
      forEachLane(group, [&](unsigned lane) {
        results[lane] = 0;
        forEachLane(group, [&](unsigned other) {
          results[lane] |= static_cast<LaneMask>(values[lane] == values[other])
                           << other;
        });
        equal |= static_cast<LaneMask>(results[lane] == group) << lane;
      });
    };
    if (!forEachGroup(warp, active, members, "compares values", compare))
      return Step::blocked;
    uint32_t *targets = warp.lanes<uint32_t>(target);
    forEachLane(active, [&](unsigned lane) {
      targets[lane] = all && !(equal >> lane & 1) ? 0 : results[lane];
    });
    if (matched)
      warp.setPredicate(*matched, active, equal);
    return Step::next;
  }
};

template <class Value> Decoded make(Decoder &decoder, bool all, Type type) {
  auto made = std::make_unique<Match<Value>>();
  made->all = all;
  const Operand &target = decoder.operand(0);
  const bool isPair = target.kind == Operand::Kind::pair;
  if (isPair && !all)
    decoder.refuse("match.any has no predicate as second destination");
  made->value = decoder.source(decoder.operand(1), type);
  made->members = decoder.source(decoder.operand(2), Type::b32);
  made->target =
      decoder.target(isPair ? target.elements[0] : target, Type::b32);
  if (isPair)
    made->matched = decoder.predicateTarget(target.elements[1]);
  return made;
}

} // namespace

// match.any.sync is the ISA's order; ptxas takes match.sync.any too.
Decoded decodeMatch(Decoder &decoder) {
  Modifiers &modifiers = decoder.modifiers;
  const bool early = modifiers.take("sync");
  const int mode = modifiers.takeOneOf({"any", "all"});
  if (mode < 0)
    decoder.refuse("the mode is missing: .any or .all");
  if (!early && !modifiers.take("sync"))
    decoder.refuse(".sync is missing");
  decoder.expectOperands(3);
  if (modifiers.take("b32"))
    return make<uint32_t>(decoder, mode == 1, Type::b32);
  if (modifiers.take("b64"))
    return make<uint64_t>(decoder, mode == 1, Type::b64);
  decoder.refuse("the type is missing: .b32 or .b64");
}

} // namespace ashlar::sim
