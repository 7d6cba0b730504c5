#include "runtime/sim/ptx/Module.h"

namespace ashlar::sim::ptx {

ParseError::ParseError(const std::string &name, Position position,
                       const std::string &sentence)
    : position(position),
      message(name + ":" + std::to_string(position.line) + ":" +
              std::to_string(position.column) + ": " + sentence) {}

uint64_t Variable::sizeBytes() const {
  return elements * vector * ptx::sizeBytes(type);
}

std::string mnemonic(const Instruction &instruction) {
  std::string text = instruction.opcode;
  for (const std::string &modifier : instruction.modifiers)
    text += "." + modifier;
  return text;
}

} // namespace ashlar::sim::ptx
