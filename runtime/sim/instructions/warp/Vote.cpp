// vote.sync (PTX ISA, "vote.sync").
#include "runtime/sim/instructions/warp/MemberLanes.h"
#include "runtime/sim/instructions/warp/WarpInstructions.h"

namespace ashlar::sim {

namespace {

using ptx::Type;

enum class Kind : uint8_t { all, any, uniform, ballot };

struct Vote final : Instruction {
  Kind kind = Kind::all;
  Slot target, predicate, members;
  bool negated = false;

  Step execute(Warp &warp, LaneMask active) const override {
    const LaneMask given =
        negated ? ~warp.predicate(predicate) : warp.predicate(predicate);
    LaneMask results = 0;
    auto vote = [&](LaneMask group) {
      const LaneMask yes = given & group;
      if (kind == Kind::ballot) {
        uint32_t *ballots = warp.lanes<uint32_t>(target);
        forEachLane(group, [&](unsigned lane) { ballots[lane] = yes; });
        return;
      }
      const bool result = kind == Kind::all   ? yes == group
                          : kind == Kind::any ? yes != 0
                                              : yes == group || yes == 0;
      results |= result ? group : 0;
    };
    if (!forEachGroup(warp, active, members, "votes", vote))
      return Step::blocked;
    if (kind != Kind::ballot)
      warp.setPredicate(target, active, results);
    return Step::next;
  }
};

} // namespace

Decoded decodeVote(Decoder &decoder) {
  auto made = std::make_unique<Vote>();
  Modifiers &modifiers = decoder.modifiers;
  if (!modifiers.take("sync"))
    decoder.refuse("without .sync it does not exist on this machine (from "
                   "sm_70 on): use vote.sync");
  const int kind = modifiers.takeOneOf({"all", "any", "uni", "ballot"});
  if (kind < 0)
    decoder.refuse("the mode is missing: .all, .any, .uni or .ballot");
  made->kind = static_cast<Kind>(kind);
  const bool ballot = made->kind == Kind::ballot;
  if (!modifiers.take(ballot ? "b32" : "pred"))
    decoder.refuse(ballot ? "vote.ballot has the type .b32"
                          : "vote.all, .any and .uni have the type .pred");
  decoder.expectOperands(3);
  made->predicate = decoder.predicateSource(decoder.operand(1), made->negated);
  made->members = decoder.source(decoder.operand(2), Type::b32);
  made->target = ballot ? decoder.target(decoder.operand(0), Type::b32)
                        : decoder.predicateTarget(decoder.operand(0));
  return made;
}

} // namespace ashlar::sim
