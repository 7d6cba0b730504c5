#include "runtime/sim/instructions/Opcodes.h"

namespace ashlar::sim {

const Opcode *OpcodeTable::find(std::string_view name) const {
  const auto found = opcodes.find(name);
  return found == opcodes.end() ? nullptr : &found->second;
}

const OpcodeTable &opcodes() {
  static const OpcodeTable table = [] {
    OpcodeTable all;
    addArithmeticInstructions(all);
    addIntegerInstructions(all);
    addFloatInstructions(all);
    addComparisonInstructions(all);
    addMoveInstructions(all);
    addMemoryInstructions(all);
    addCopyInstructions(all);
    addControlInstructions(all);
    addBarrierInstructions(all);
    addMbarrierInstructions(all);
    addWarpInstructions(all);
    addMatrixInstructions(all);
    addWgmmaInstructions(all);
    addVideoInstructions(all);
    addMiscellaneousInstructions(all);
    return all;
  }();
  return table;
}

} // namespace ashlar::sim
