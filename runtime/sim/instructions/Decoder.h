// What the decoders of the instruction families share: reading modifiers and
// operands, and refusing what is not known.
#pragma once

#include "runtime/sim/instructions/Modifiers.h"
#include "runtime/sim/machine/Instruction.h"
#include "runtime/sim/machine/Program.h"
#include "runtime/sim/machine/memory/AddressOperand.h"
#include "runtime/sim/ptx/Module.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ashlar::sim {

class GlobalMemory;
class ProgramBuilder; // lays out registers and memory

/// An instruction that is not known or not well formed:
/// "name:line:column: sentence".
class DecodeError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One instruction being decoded.
class Decoder {
public:
  Decoder(ProgramBuilder &builder, const ptx::Instruction &text,
          bool anyOrder = false);

  const ptx::Instruction &text;
  Modifiers modifiers;
  /// Those of the opcode, to which the decode function adds what the modifiers
  /// say.
  Traits traits;

  size_t operandCount() const { return text.operands.size(); }
  const ptx::Operand &operand(size_t index); // refuses when there is none
  /// Refuses unless there are `least` to `most` operands.
  void expectOperands(size_t least, size_t most);
  void expectOperands(size_t count) { expectOperands(count, count); }
  /// Takes the next modifier if it is .aligned, and notes it in the traits.
  bool takeAligned();
  /// Refuses modifiers that are left over. Called by the dispatcher as well.
  void expectNoMoreModifiers();

  /// The value of an operand of the type: a register of the type's width, an
  /// immediate (integers are truncated to the width, floats converted as the
  /// ISA says), a special register, the address of a variable. The register is
  /// noted in Instruction::registers.
  Slot source(const ptx::Operand &operand, ptx::Type type);
  /// Same, for ld, st, cvt and others whose register operands may be wider
  /// than the type: the slot has the width of the register.
  Slot sourceAnyWidth(const ptx::Operand &operand, ptx::Type type);
  /// A register to write. `_` gives a slot that nobody reads.
  Slot target(const ptx::Operand &operand, ptx::Type type);
  Slot targetAnyWidth(const ptx::Operand &operand, ptx::Type type);
  /// A predicate to read (`negated` says that the text has `!`) or write.
  /// Immediates 0 and 1 and `true`-like constants are accepted for reading.
  Slot predicateSource(const ptx::Operand &operand, bool &negated);
  Slot predicateTarget(const ptx::Operand &operand);
  /// The elements of `{...}`; a lone operand counts as a vector of one. `_`
  /// elements give slots that nobody reads.
  std::vector<const ptx::Operand *> elements(const ptx::Operand &operand);
  AddressOperand address(const ptx::Operand &operand);
  /// An integer that must be known when decoding.
  int64_t immediate(const ptx::Operand &operand);
  /// A slot of its own for intermediate values.
  Slot temporary(unsigned laneBytes);
  /// A slot that holds the same constant in each lane.
  Slot constant(unsigned laneBytes, uint64_t low, uint64_t high = 0);

  uint32_t labelTarget(const ptx::Operand &operand); // index in the body
  const ptx::Module &module() const;
  const ptx::Function &function() const;
  ProgramBuilder &program() { return builder; }

  /// Refuses the instruction: "sentence" with its place and its text.
  [[noreturn]] void refuse(const std::string &sentence) const;

  /// The registers seen so far by source and target, and which were targets.
  std::vector<Slot> registers;
  std::vector<bool> writesRegister;

private:
  ProgramBuilder &builder;
};

using Decoded = std::unique_ptr<Instruction>;

/// Makes an instruction of the decoder's text.
using DecodeFunction = Decoded (*)(Decoder &);

class OpcodeTable; // Opcodes.h

/// Decodes the module: every function in it, also those that no kernel calls.
/// Throws DecodeError at the first instruction that is not known. The
/// module's .global and .const variables are allocated in `memory`.
std::shared_ptr<Program> decode(std::shared_ptr<const ptx::Module> module,
                                GlobalMemory &memory);

} // namespace ashlar::sim
