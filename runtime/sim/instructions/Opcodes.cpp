#include "runtime/sim/instructions/Opcodes.h"

namespace ashlar::sim {

const Opcode *OpcodeTable::find(std::string_view name) const {
  const auto found = opcodes.find(name);
  return found == opcodes.end() ? nullptr : &found->second;
}

const OpcodeTable &opcodes() {
  static const OpcodeTable table = [] {
    OpcodeTable all;
    addIntegerInstructions(all);
    addLogicInstructions(all);
    addFloatInstructions(all);
    addComparisonInstructions(all);
    addConversionInstructions(all);
    addMoveInstructions(all);
    addMemoryInstructions(all);
    addAtomicInstructions(all);
    addControlInstructions(all);
    addWarpInstructions(all);
    addBarrierInstructions(all);
    addMbarrierInstructions(all);
    addCopyInstructions(all);
    addMatrixInstructions(all);
    addWgmmaInstructions(all);
    addMiscellaneousInstructions(all);
    return all;
  }();
  return table;
}

} // namespace ashlar::sim
