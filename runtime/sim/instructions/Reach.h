// What a kernel refers to, itself or through the functions that it may call.
#pragma once

#include "runtime/sim/machine/memory/SharedLayout.h"
#include "runtime/sim/ptx/Module.h"

#include <cstdint>
#include <set>
#include <vector>

namespace ashlar::sim {

/// A function may be called wherever its address is known.
class Reach {
public:
  Reach(const ptx::Module &module, uint32_t kernel);

  std::set<uint32_t> functions; // the kernel among them
  std::set<VariableId> variables;

private:
  void addFunction(uint32_t index);
  void addBody(uint32_t index);
  void add(const ptx::Operand &operand, int function);
  void add(const ptx::SymbolUse &symbol, int function);
  void addVariable(VariableId id);

  const ptx::Module &module;
  std::vector<uint32_t> pending;
};

} // namespace ashlar::sim
