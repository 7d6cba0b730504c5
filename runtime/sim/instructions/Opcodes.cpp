#include "runtime/sim/instructions/Opcodes.h"

#include <stdexcept>

namespace ashlar::sim {

void OpcodeTable::add(std::string name, DecodeFunction decode, Traits traits) {
  const auto [at, isNew] =
      opcodes.emplace(std::move(name), Opcode{decode, traits});
  if (!isNew)
    throw std::logic_error("the opcode '" + at->first +
                           "' is in the table twice");
}

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
