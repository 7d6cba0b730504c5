// Lays out what the instructions of a module refer to: registers, constants,
// special registers and addresses get slots in the warp's register file,
// variables get addresses.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

#include <map>
#include <memory>
#include <tuple>

namespace ashlar::sim {

class GlobalMemory;

/// Function addresses are this plus their index in the module, times 16.
inline constexpr uint64_t functionWindow = 0x0004'0000'0000'0000;

inline uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

class ProgramBuilder {
public:
  ProgramBuilder(std::shared_ptr<const ptx::Module> module,
                 GlobalMemory &memory);

  /// Decodes all functions.
  std::shared_ptr<Program> build();

  Slot registerSlot(ptx::RegisterUse use);
  const ptx::Register &registerOf(ptx::RegisterUse use) const;
  Slot constant(unsigned laneBytes, uint64_t low, uint64_t high);
  Slot special(ptx::SpecialRegister which, uint8_t component,
               unsigned laneBytes);
  Slot temporary(unsigned laneBytes);
  /// The address of a symbol in its own state space.
  Slot symbolAddress(ptx::SymbolUse symbol, int64_t addend, unsigned laneBytes);
  const ptx::Variable *variableOf(ptx::SymbolUse symbol) const;
  /// Where a variable of the function that is decoded lies in its frame.
  uint32_t frameOffset(ptx::SymbolUse symbol) const;

  Program &program() { return *made; }
  const ptx::Module &module() const { return *made->module; }
  const ptx::Function &function() const { return *current->text; }
  Function &currentFunction() { return *current; }

private:
  // ProgramLayout.cpp
  void layOutVariables();
  uint64_t layOutGlobal(const ptx::Variable &variable);
  void writeAddresses(const ptx::Variable &variable, MemoryBlock &block);
  void layOutFrame(Function &function);
  void layOutParameters(Function &function);
  uint64_t addressOf(ptx::SymbolUse symbol) const;

  void decodeBody(Function &function, uint32_t index);
  std::unique_ptr<Instruction> decodeInstruction(const ptx::Instruction &text);
  std::unique_ptr<Instruction> decodeInstruction(const ptx::Instruction &text,
                                                 bool anyOrder);

  std::shared_ptr<Program> made;
  GlobalMemory &memory;
  Function *current = nullptr;
  uint32_t currentIndex = 0;
  std::map<std::pair<uint32_t, uint8_t>, Slot> registers; // of the function
  std::map<std::tuple<unsigned, uint64_t, uint64_t>, Slot> constants;
  std::map<std::tuple<ptx::SpecialRegister, uint8_t, unsigned>, Slot> specials;
  std::map<std::tuple<VariableId, int64_t, unsigned>, Slot> sharedAddresses;
  std::map<std::pair<uint32_t, unsigned>, Slot> frameAddresses; // of it
  /// Variables whose bytes may hold addresses.
  struct Image {
    const ptx::Variable *variable;
    MemoryBlock *block;
    uint32_t function; // that a function's variables belong to
  };
  std::vector<Image> images;
  uint64_t globalBytes = 0; // of the variables in memory
};

} // namespace ashlar::sim
