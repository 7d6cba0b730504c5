#include "runtime/sim/instructions/GuessedLoads.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>

namespace ashlar::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;

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

bool isStore(const Instruction &instruction) {
  return instruction.opcode == "st" && instruction.operands.size() == 2;
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

/// Calls `visit` for each register in the operand; true if one call gives true.
template <class Visit> bool anyRegister(const Operand &operand, Visit visit) {
  if (operand.kind == Operand::Kind::registerUse &&
      visit(operand.registerUse.index))
    return true;
  auto inOperand = [&](const Operand &each) {
    return anyRegister(each, visit);
  };
  if (const ptx::Address *address = operand.address.get())
    if ((address->base && visit(address->base->index)) ||
        std::ranges::any_of(address->more, inOperand))
      return true;
  return std::ranges::any_of(operand.elements, inOperand);
}

/// What depends on one load: registers, whatever the order of instructions.
class Guess {
public:
  Guess(const ptx::Function &function, const Instruction &load)
      : place(load.operands[1]), depending(function.registers.size()) {
    add(load.operands[0]);
    while (grows && goesBack) {
      grows = false;
      for (const Instruction &instruction : function.body)
        if (&instruction != &load)
          visit(instruction);
    }
  }
  bool isGuess() const { return goesBack && isCompared && !isStored; }
  bool replacesBits() const {
    return goesBack && (isCompared || isStored) && onlyMovesBits && mayDropBits;
  }

private:
  bool depends(const Operand &operand) const {
    return anyRegister(
        operand, [&](uint32_t index) -> bool { return depending[index]; });
  }
  void add(const Operand &operand) {
    anyRegister(operand, [&](uint32_t index) {
      grows |= !depending[index];
      depending[index] = true;
      return false;
    });
  }

  void visit(const Instruction &instruction) {
    const std::vector<Operand> &operands = instruction.operands;
    const bool guardDepends =
        instruction.guard && depending[instruction.guard->predicate.index];
    if (onlyComputes(instruction.opcode) && !operands.empty()) {
      if (guardDepends ||
          std::any_of(operands.begin() + 1, operands.end(),
                      [&](const Operand &each) { return depends(each); })) {
        add(operands[0]);
        const std::string_view opcode = instruction.opcode;
        onlyMovesBits &= movesBits(opcode) || opcode == "setp";
        mayDropBits |= dropsBits(opcode);
      }
      return;
    }
    if (instruction.opcode == "bra")
      return;
    goesBack &= !guardDepends;
    if (isCompareAndSwap(instruction) && isSamePlace(operands[1], place)) {
      isCompared |= depends(operands[2]);
      return;
    }
    if (isStore(instruction) && isSamePlace(operands[0], place)) {
      isStored |= depends(operands[1]);
      return;
    }
    // What another instruction overwrites does not depend on it.
    const bool hasResult = instruction.opcode == "ld";
    goesBack &=
        std::none_of(operands.begin() + hasResult, operands.end(),
                     [&](const Operand &each) { return depends(each); });
  }

  const Operand &place;
  std::vector<bool> depending; // by register
  bool grows = false;
  bool isCompared = false, isStored = false;
  bool goesBack = true; // to the place that was loaded, and nowhere else
  bool onlyMovesBits = true, mayDropBits = false;
};

/// How many instructions assign each register.
std::vector<uint32_t> assignments(const ptx::Function &function) {
  std::vector<uint32_t> result(function.registers.size());
  for (const Instruction &instruction : function.body)
    if (!instruction.operands.empty() && !instruction.operands[0].address)
      anyRegister(instruction.operands[0], [&](uint32_t index) {
        ++result[index];
        return false;
      });
  return result;
}

} // namespace

std::vector<Guessing> findGuessedLoads(const ptx::Function &function) {
  std::vector<Guessing> result(function.body.size());
  std::vector<const Operand *>
      places; // by instruction; null: puts nothing back
  std::map<uint32_t, std::vector<size_t>> byBase;
  for (const Instruction &instruction : function.body) {
    const Operand *place = isCompareAndSwap(instruction)
                               ? &instruction.operands[1]
                           : isStore(instruction) ? &instruction.operands[0]
                                                  : nullptr;
    if (place && place->address && place->address->base)
      byBase[place->address->base->index].push_back(places.size());
    places.push_back(place);
  }
  const std::vector<uint32_t> assigned = assignments(function);
  for (size_t i = 0; i < function.body.size(); ++i) {
    const Instruction &load = function.body[i];
    if (load.opcode != "ld" || load.operands.size() != 2 || has(load, "nc") ||
        !load.operands[1].address || !load.operands[1].address->base)
      continue;
    const uint32_t base = load.operands[1].address->base->index;
    auto found = byBase.find(base);
    if (found == byBase.end())
      continue;
    std::vector<size_t> behind = found->second;
    std::erase_if(behind, [&](size_t each) {
      return !isSamePlace(*places[each], load.operands[1]);
    });
    if (behind.empty() || assigned[base] != 1)
      continue;
    const Guess guess(function, load);
    result[i] = {guess.isGuess(), guess.replacesBits()};
    for (size_t each : behind)
      result[each].replacesBits |= guess.replacesBits();
  }
  return result;
}

} // namespace ashlar::sim
