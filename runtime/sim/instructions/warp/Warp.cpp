// activemask and elect.sync, and the table of the instructions among the lanes
// of a warp. None of them orders memory: that is bar.warp.sync's.
#include "runtime/sim/machine/Warp.h"

#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/warp/MemberLanes.h"
#include "runtime/sim/instructions/warp/WarpInstructions.h"

namespace ashlar::sim {

namespace {

using ptx::Operand;
using ptx::Type;

struct ActiveMask final : Instruction {
  Slot target;
  Step execute(Warp &warp, LaneMask active) const override {
    uint32_t *targets = warp.lanes<uint32_t>(target);
    forEachLane(active, [&](unsigned lane) { targets[lane] = active; });
    return Step::next;
  }
};

/// The leader is the lowest lane of the membermask, as on the hardware: PTX
/// asks only that the same mask gives the same leader.
struct Elect final : Instruction {
  Slot target, isLeader, members;
  Step execute(Warp &warp, LaneMask active) const override {
    uint32_t *targets = warp.lanes<uint32_t>(target);
    LaneMask leaders = 0;
    auto elect = [&](LaneMask group) {
      const auto leader = static_cast<unsigned>(std::countr_zero(group));
      leaders |= LaneMask(1) << leader;
      forEachLane(group, [&](unsigned lane) { targets[lane] = leader; });
    };
    if (!forEachGroup(warp, active, members, "elects a leader", elect))
      return Step::blocked;
    warp.setPredicate(isLeader, active, leaders);
    return Step::next;
  }
};

Decoded decodeActiveMask(Decoder &decoder) {
  auto made = std::make_unique<ActiveMask>();
  if (!decoder.modifiers.take("b32"))
    decoder.refuse("the type is .b32");
  decoder.expectOperands(1);
  made->target = decoder.target(decoder.operand(0), Type::b32);
  return made;
}

Decoded decodeElect(Decoder &decoder) {
  auto made = std::make_unique<Elect>();
  if (!decoder.modifiers.take("sync"))
    decoder.refuse(".sync is missing");
  decoder.expectOperands(2);
  const Operand &target = decoder.operand(0);
  if (target.kind != Operand::Kind::pair)
    decoder.refuse("it has two destinations, the leader's lane and a "
                   "predicate: d|p, where d may be '_'");
  made->members = decoder.source(decoder.operand(1), Type::b32);
  made->target = decoder.target(target.elements[0], Type::b32);
  made->isLeader = decoder.predicateTarget(target.elements[1]);
  return made;
}

} // namespace

void addWarpInstructions(OpcodeTable &table) {
  table.add("shfl", decodeShuffle);
  table.add("vote", decodeVote);
  table.add("match", decodeMatch);
  table.add("redux", decodeReduceLanes);
  table.add("activemask", decodeActiveMask);
  table.add("elect", decodeElect);
}

} // namespace ashlar::sim
