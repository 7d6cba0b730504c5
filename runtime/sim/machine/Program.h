// A module, decoded: what can be executed.
#pragma once

#include "runtime/sim/machine/Instruction.h"
#include "runtime/sim/machine/memory/SharedLayout.h"
#include "runtime/sim/ptx/Special.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::sim {

class MemoryBlock;
struct Program;

struct Function {
  const ptx::Function *text = nullptr;
  std::vector<std::unique_ptr<Instruction>> body;
  /// Where its registers lie in a warp's register file.
  uint32_t registersBegin = 0, registersEnd = 0;
  std::vector<Slot> slots; // all that lie there
  /// Variables in .local, and in .param where it is not a kernel's own: bytes
  /// of a frame in each thread's local memory, and the offset of each variable
  /// (by its index in text->variables).
  uint32_t frameBytes = 0;
  std::vector<uint32_t> frameOffsets;
  /// Offsets in the frame of the .param results and parameters of a .func.
  std::vector<uint32_t> resultOffsets, parameterOffsets;
  /// Where those that are registers lie; empty when they are variables.
  std::vector<Slot> resultSlots, parameterSlots;
  /// Slots to be filled with addresses in the frame when it is entered.
  struct FrameAddress {
    Slot slot;
    uint32_t offset = 0; // in the frame
    bool generic = false;
  };
  std::vector<FrameAddress> frameAddresses;

  /// For a kernel: where parameters lie in the parameter block, and its size.
  std::vector<uint32_t> parameterBlockOffsets;
  uint32_t parameterBytes = 0;
  SharedLayout shared;
  /// Per thread at its launch; 0 where setmaxnreg does nothing.
  uint32_t startingRegisters = 0;
};

struct Program {
  std::shared_ptr<const ptx::Module> module;
  std::vector<std::unique_ptr<Function>> functions; // as in module->functions

  /// Bytes of a warp's register file, and the image of its constants.
  uint32_t registerBytes = 0;
  struct Constant {
    Slot slot;
    uint64_t low = 0, high = 0;
  };
  std::vector<Constant> constants;
  struct Special {
    Slot slot;
    ptx::SpecialRegister which = ptx::SpecialRegister::tid;
    uint8_t component = 0;
  };
  std::vector<Special> specials;
  /// Addresses of shared variables, which the kernel's layout and the base of
  /// the CTA's own window complete.
  struct SharedAddress {
    Slot slot;
    VariableId variable;
    uint32_t addend = 0;
    bool isDynamic = false;
  };
  std::vector<SharedAddress> sharedAddresses;

  /// Of .global and .const variables; 0 for others.
  std::vector<uint64_t> variableAddresses; // of module->variables
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> functionVariableAddresses;
  /// .global and .const variables.
  std::vector<std::shared_ptr<MemoryBlock>> variableBlocks;

  int functionNamed(const std::string &name) const; // -1: none
};

} // namespace ashlar::sim
