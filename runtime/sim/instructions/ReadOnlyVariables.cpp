#include "runtime/sim/instructions/ReadOnlyVariables.h"

#include <map>
#include <set>
#include <string_view>

namespace ashlar::sim {
namespace {

using ptx::Operand;
using ptx::SymbolUse;
using Variables = std::set<uint32_t>; // of the module

/// Neither writes to memory nor has an address as its result.
bool onlyReads(std::string_view opcode) {
  return opcode == "ld" || opcode == "ldu" || opcode == "setp";
}

/// The result may be an address in the variable that an operand points into.
bool keepsAddresses(std::string_view opcode) {
  for (std::string_view each : {"mov", "add", "sub", "mad", "cvta", "selp"})
    if (opcode == each)
      return true;
  return false;
}

/// Where the addresses of variables go in one function: through registers, in
/// any order of its instructions.
class AddressFlow {
public:
  AddressFlow(const ptx::Function &function, std::vector<bool> &isReadOnly)
      : isReadOnly(isReadOnly) {
    do {
      changed = false;
      for (const ptx::Instruction &instruction : function.body)
        visit(instruction);
    } while (changed);
  }

private:
  void visit(const ptx::Instruction &instruction) {
    if (onlyReads(instruction.opcode))
      return;
    const bool keeps = keepsAddresses(instruction.opcode);
    Variables used;
    for (size_t i = keeps; i < instruction.operands.size(); ++i)
      add(instruction.operands[i], used);
    if (used.empty())
      return;
    if (keeps)
      assign(instruction.operands.front(), used);
    else
      for (uint32_t variable : used)
        isReadOnly[variable] = false;
  }

  void add(const SymbolUse &symbol, Variables &used) {
    if (symbol.kind == SymbolUse::Kind::moduleVariable)
      used.insert(symbol.index);
  }
  void add(const ptx::RegisterUse &use, Variables &used) {
    if (auto found = held.find(use.index); found != held.end())
      used.insert(found->second.begin(), found->second.end());
  }
  void add(const Operand &operand, Variables &used) {
    if (operand.kind == Operand::Kind::symbol)
      add(operand.symbol, used);
    if (operand.kind == Operand::Kind::registerUse)
      add(operand.registerUse, used);
    if (operand.address) {
      if (operand.address->symbol)
        add(*operand.address->symbol, used);
      if (operand.address->base)
        add(*operand.address->base, used);
      for (const Operand &more : operand.address->more)
        add(more, used);
    }
    for (const Operand &element : operand.elements)
      add(element, used);
  }

  void assign(const Operand &result, const Variables &used) {
    if (result.kind == Operand::Kind::registerUse) {
      Variables &variables = held[result.registerUse.index];
      const size_t before = variables.size();
      variables.insert(used.begin(), used.end());
      changed |= variables.size() != before;
    }
    for (const Operand &element : result.elements)
      assign(element, used);
  }

  std::map<uint32_t, Variables> held; // by register
  std::vector<bool> &isReadOnly;
  bool changed = false;
};

void excludeNamedIn(const ptx::Variable &variable,
                    std::vector<bool> &isReadOnly) {
  for (const ptx::Variable::AddressAt &entry : variable.addresses)
    if (entry.symbol.kind == SymbolUse::Kind::moduleVariable)
      isReadOnly[entry.symbol.index] = false;
}

} // namespace

std::vector<bool> findReadOnlyVariables(const ptx::Module &module) {
  std::vector<bool> isReadOnly(module.variables.size(), true);
  for (const ptx::Variable &variable : module.variables)
    excludeNamedIn(variable, isReadOnly);
  for (const ptx::Function &function : module.functions) {
    for (const ptx::Variable &variable : function.variables)
      excludeNamedIn(variable, isReadOnly);
    AddressFlow(function, isReadOnly);
  }
  return isReadOnly;
}

} // namespace ashlar::sim
