// bra, brx, ret, exit (PTX ISA, "Control Flow Instructions"). Calls are in
// Call.cpp.
#include "runtime/sim/instructions/Decoder.h"
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/instructions/control/Call.h"
#include "runtime/sim/machine/Warp.h"

#include <algorithm>

namespace ashlar::sim {

namespace {

struct Branch final : Instruction {
  uint32_t target = 0;
  Step execute(Warp &warp, LaneMask active) const override {
    warp.jump(active, target);
    return Step::moved;
  }
};

// `.uni` promises that the branch does not diverge. Ours may: it is then an
// ordinary branch.
Decoded decodeBranch(Decoder &decoder) {
  decoder.modifiers.take("uni");
  decoder.expectOperands(1);
  auto result = std::make_unique<Branch>();
  result->leaves = true;
  result->target = decoder.labelTarget(decoder.operand(0));
  return result;
}

struct IndexedBranch final : Instruction {
  Slot index;
  std::vector<uint32_t> targets;
  Step execute(Warp &warp, LaneMask active) const override {
    std::array<uint32_t, warpLanes> to{};
    forEachLane(active, [&](unsigned lane) {
      const uint64_t chosen = warp.bits(index, lane);
      if (chosen >= targets.size())
        warp.stop(Finding::other,
                  "the index of brx.idx is " + std::to_string(chosen) +
                      "; its list has " + std::to_string(targets.size()) +
                      " targets",
                  "branches", static_cast<int>(lane));
      to[lane] = targets[chosen];
    });
    warp.jump(active, to);
    return Step::moved;
  }
};

Decoded decodeIndexedBranch(Decoder &decoder) {
  if (!decoder.modifiers.take("idx"))
    decoder.refuse("brx needs .idx");
  decoder.modifiers.take("uni");
  decoder.expectOperands(2);
  auto result = std::make_unique<IndexedBranch>();
  result->leaves = true;
  result->index = decoder.source(decoder.operand(0), ptx::Type::u32);
  const std::string &name = decoder.operand(1).text;
  const auto &lists = decoder.function().targets;
  auto list = std::find_if(lists.begin(), lists.end(),
                           [&](const auto &each) { return each.name == name; });
  if (list == lists.end())
    decoder.refuse("'" + name + "' is not a list of .branchtargets");
  for (uint32_t label : list->labels)
    result->targets.push_back(decoder.function().labels[label].instruction);
  return result;
}

struct Return final : Instruction {
  Step execute(Warp &warp, LaneMask active) const override {
    returnFromCall(warp, active);
    return Step::moved;
  }
};

Decoded decodeReturn(Decoder &decoder) {
  decoder.modifiers.take("uni");
  decoder.expectOperands(0);
  auto result = std::make_unique<Return>();
  result->leaves = true;
  return result;
}

struct Exit final : Instruction {
  Step execute(Warp &warp, LaneMask active) const override {
    warp.exitLanes(active);
    return Step::moved;
  }
};

Decoded decodeExit(Decoder &decoder) {
  decoder.expectOperands(0);
  auto result = std::make_unique<Exit>();
  result->leaves = true;
  return result;
}

} // namespace

void addControlInstructions(OpcodeTable &table) {
  table.add("bra", decodeBranch);
  table.add("brx", decodeIndexedBranch);
  table.add("ret", decodeReturn);
  table.add("exit", decodeExit);
  table.add("call", decodeCall);
}

} // namespace ashlar::sim
