#include "runtime/sim/instructions/Reach.h"

namespace ashlar::sim {

using ptx::SymbolUse;

Reach::Reach(const ptx::Module &module, uint32_t kernel) : module(module) {
  addFunction(kernel);
  while (!pending.empty()) {
    const uint32_t index = pending.back();
    pending.pop_back();
    addBody(index);
  }
}

void Reach::addFunction(uint32_t index) {
  if (functions.insert(index).second)
    pending.push_back(index);
}

void Reach::addBody(uint32_t index) {
  const ptx::Function &function = module.functions[index];
  if (function.aliasOf)
    addFunction(*function.aliasOf);
  for (const ptx::TargetList &list : function.targets)
    for (uint32_t target : list.functions)
      addFunction(target);
  for (const ptx::Instruction &instruction : function.body)
    for (const ptx::Operand &operand : instruction.operands)
      add(operand, static_cast<int>(index));
}

void Reach::add(const ptx::Operand &operand, int function) {
  if (operand.kind == ptx::Operand::Kind::symbol)
    add(operand.symbol, function);
  if (operand.address) {
    if (operand.address->symbol)
      add(*operand.address->symbol, function);
    for (const ptx::Operand &more : operand.address->more)
      add(more, function);
  }
  for (const ptx::Operand &element : operand.elements)
    add(element, function);
}

void Reach::add(const SymbolUse &symbol, int function) {
  if (symbol.kind == SymbolUse::Kind::function)
    addFunction(symbol.index);
  if (symbol.kind == SymbolUse::Kind::functionVariable)
    addVariable({function, symbol.index});
  if (symbol.kind == SymbolUse::Kind::moduleVariable)
    addVariable({-1, symbol.index});
}

void Reach::addVariable(VariableId id) {
  if (!variables.insert(id).second)
    return;
  const ptx::Variable &variable =
      id.first < 0 ? module.variables[id.second]
                   : module.functions[static_cast<size_t>(id.first)]
                         .variables[id.second];
  for (const ptx::Variable::AddressAt &entry : variable.addresses)
    add(entry.symbol, id.first);
}

} // namespace ashlar::sim
