#include "runtime/sim/instructions/GuessedLoads.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>

namespace ashlar::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;
using Registers = std::set<uint32_t>;

bool has(const Instruction &instruction, std::string_view modifier) {
  return std::ranges::find(instruction.modifiers, modifier) !=
         instruction.modifiers.end();
}

bool isCompareAndSwap(const Instruction &instruction) {
  return instruction.opcode == "atom" && has(instruction, "cas") &&
         instruction.operands.size() == 4;
}

bool isOneOf(std::string_view opcode,
             std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, opcode) != all.end();
}

/// Its first operand is a result, of the others and of nothing else.
bool onlyComputes(std::string_view opcode) {
  return isOneOf(opcode, {"mov", "cvt",  "add",  "sub",  "mul", "mad", "fma",
                          "and", "or",   "xor",  "not",  "neg", "abs", "min",
                          "max", "shl",  "shr",  "shf",  "bfi", "bfe", "div",
                          "rem", "selp", "setp", "prmt", "lop3"});
}

/// Each bit of the result comes from one of an operand, or from a constant.
bool movesBits(std::string_view opcode) {
  return isOneOf(opcode, {"mov", "cvt", "and", "or", "xor", "shl", "shr", "shf",
                          "bfi", "prmt", "lop3", "selp"});
}

/// It can leave bits of an operand out.
bool dropsBits(std::string_view opcode) {
  return isOneOf(opcode, {"and", "bfi", "prmt", "lop3"});
}

bool isSamePlace(const Operand &a, const Operand &b) {
  return a.address && b.address && a.address->base && b.address->base &&
         !a.address->symbol && !b.address->symbol &&
         a.address->base->index == b.address->base->index &&
         a.address->base->component == b.address->base->component &&
         a.address->offset == b.address->offset;
}

void collect(const Operand &operand, Registers &registers) {
  if (operand.kind == Operand::Kind::registerUse)
    registers.insert(operand.registerUse.index);
  if (operand.address && operand.address->base)
    registers.insert(operand.address->base->index);
  if (operand.address)
    for (const Operand &more : operand.address->more)
      collect(more, registers);
  for (const Operand &element : operand.elements)
    collect(element, registers);
}

Registers registersOf(const Operand &operand) {
  Registers registers;
  collect(operand, registers);
  return registers;
}

/// What depends on one load: registers, whatever the order of instructions.
class Guess {
public:
  Guess(const ptx::Function &function, const Instruction &load)
      : place(load.operands[1]) {
    depending = registersOf(load.operands[0]);
    size_t before = 0;
    do {
      before = depending.size();
      for (const Instruction &instruction : function.body)
        if (&instruction != &load)
          visit(instruction);
    } while (isOnlyCompared && depending.size() != before);
  }
  bool isGuess() const { return isOnlyCompared && isCompared; }
  bool replacesBits() const {
    return isGuess() && onlyMovesBits && mayDropBits;
  }

private:
  bool depends(const Operand &operand) const {
    return std::ranges::any_of(registersOf(operand), [&](uint32_t index) {
      return depending.contains(index);
    });
  }

  void visit(const Instruction &instruction) {
    const std::vector<Operand> &operands = instruction.operands;
    const bool guardDepends =
        instruction.guard &&
        depending.contains(instruction.guard->predicate.index);
    if (onlyComputes(instruction.opcode) && !operands.empty()) {
      if (guardDepends ||
          std::any_of(operands.begin() + 1, operands.end(),
                      [&](const Operand &each) { return depends(each); })) {
        collect(operands[0], depending);
        const std::string_view opcode = instruction.opcode;
        onlyMovesBits &= movesBits(opcode) || opcode == "setp";
        mayDropBits |= dropsBits(opcode);
      }
      return;
    }
    if (instruction.opcode == "bra")
      return;
    isOnlyCompared &= !guardDepends;
    if (isCompareAndSwap(instruction) && isSamePlace(operands[1], place)) {
      isCompared |= depends(operands[2]);
      return;
    }
    // What another instruction overwrites does not depend on it.
    const bool hasResult = instruction.opcode == "ld";
    isOnlyCompared &=
        std::none_of(operands.begin() + hasResult, operands.end(),
                     [&](const Operand &each) { return depends(each); });
  }

  const Operand &place;
  Registers depending;
  bool isCompared = false, isOnlyCompared = true;
  bool onlyMovesBits = true, mayDropBits = false;
};

/// The register is the same wherever it is used.
bool isAssignedOnce(const ptx::Function &function, uint32_t index) {
  const auto count =
      std::ranges::count_if(function.body, [&](const Instruction &instruction) {
        return !instruction.operands.empty() &&
               !instruction.operands[0].address &&
               registersOf(instruction.operands[0]).contains(index);
      });
  return count == 1;
}

} // namespace

std::vector<Guessing> findGuessedLoads(const ptx::Function &function) {
  std::vector<Guessing> result(function.body.size());
  std::vector<size_t> swaps;
  for (size_t i = 0; i < function.body.size(); ++i)
    if (isCompareAndSwap(function.body[i]))
      swaps.push_back(i);
  for (size_t i = 0; !swaps.empty() && i < function.body.size(); ++i) {
    const Instruction &load = function.body[i];
    if (load.opcode != "ld" || load.operands.size() != 2 || has(load, "nc"))
      continue;
    std::vector<size_t> behind = swaps;
    std::erase_if(behind, [&](size_t swap) {
      return !isSamePlace(function.body[swap].operands[1], load.operands[1]);
    });
    if (behind.empty() ||
        !isAssignedOnce(function, load.operands[1].address->base->index))
      continue;
    const Guess guess(function, load);
    result[i] = {guess.isGuess(), guess.replacesBits()};
    for (size_t swap : behind)
      result[swap].replacesBits |= guess.replacesBits();
  }
  return result;
}

} // namespace ashlar::sim
