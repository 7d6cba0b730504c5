// The table of opcodes: who decodes an instruction, and what the machine needs
// to know of it.
#pragma once

#include "runtime/sim/instructions/Decoder.h"

#include <functional>
#include <map>

namespace ashlar::sim {

struct Opcode {
  DecodeFunction decode = nullptr;
  Traits traits;
};

class OpcodeTable {
public:
  /// "add", "mbarrier": what stands before the first point. Throws
  /// std::logic_error when it is there already.
  void add(std::string name, DecodeFunction decode, Traits traits = {});
  /// Null when there is none.
  const Opcode *find(std::string_view name) const;

  auto begin() const { return opcodes.begin(); }
  auto end() const { return opcodes.end(); }

private:
  std::map<std::string, Opcode, std::less<>> opcodes;
};

/// All that are known.
const OpcodeTable &opcodes();

/// add, sub, mul, ...: of integers and of floats.
void addArithmeticInstructions(OpcodeTable &);
// Each folder adds its own, beside their decoders.
void addIntegerInstructions(OpcodeTable &);
void addFloatInstructions(OpcodeTable &);
void addComparisonInstructions(OpcodeTable &);
void addMoveInstructions(OpcodeTable &);
void addMemoryInstructions(OpcodeTable &);
void addCopyInstructions(OpcodeTable &);
void addControlInstructions(OpcodeTable &);
void addBarrierInstructions(OpcodeTable &);
void addMbarrierInstructions(OpcodeTable &);
void addWarpInstructions(OpcodeTable &);
void addMatrixInstructions(OpcodeTable &);
void addWgmmaInstructions(OpcodeTable &);
void addVideoInstructions(OpcodeTable &);
void addMiscellaneousInstructions(OpcodeTable &);

} // namespace ashlar::sim
