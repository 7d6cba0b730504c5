// Where the variables and the parameters of a module lie.
#include "runtime/sim/instructions/LayOutShared.h"
#include "runtime/sim/instructions/ProgramBuilder.h"
#include "runtime/sim/instructions/ReadOnlyVariables.h"
#include "runtime/sim/instructions/miscellaneous/RegisterPool.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace ashlar::sim {

using ptx::StateSpace;
using ptx::SymbolUse;

namespace {

std::string at(const ptx::Module &module, ptx::Position position) {
  return module.name + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column) + ": ";
}

} // namespace

void ProgramBuilder::layOutVariables() {
  auto place = [&](const ptx::Variable &v) -> uint64_t {
    return v.space == StateSpace::global || v.space == StateSpace::constant
               ? layOutGlobal(v)
               : 0;
  };
  const std::vector<bool> isReadOnly = findReadOnlyVariables(module());
  for (const ptx::Variable &v : module().variables) {
    const bool isReadByAll = isReadOnly[made->variableAddresses.size()];
    made->variableAddresses.push_back(place(v));
    if (made->variableAddresses.back())
      made->variableBlocks.back()->setReadOnly(isReadByAll);
  }
  for (uint32_t f = 0; f < made->functions.size(); ++f) {
    currentIndex = f;
    for (uint32_t i = 0; i < module().functions[f].variables.size(); ++i)
      made->functionVariableAddresses[{f, i}] =
          place(module().functions[f].variables[i]);
    if (module().functions[f].isEntry) {
      const Reach reach(module(), f);
      made->functions[f]->shared = layOutShared(module(), f, reach);
      made->functions[f]->startingRegisters =
          startingRegisters(module(), f, reach);
    }
  }
  for (const Image &image : images) {
    currentIndex = image.function;
    current =
        made->functions.empty() ? nullptr : made->functions[currentIndex].get();
    writeAddresses(*image.variable, *image.block);
  }
}

uint64_t ProgramBuilder::layOutGlobal(const ptx::Variable &variable) {
  if (variable.isExternal)
    throw DecodeError(at(module(), variable.position) + "'" + variable.name +
                      "' is external, and there is no linker here: define it "
                      "in this module");
  globalBytes += variable.sizeBytes();
  // More than the host has would end the process, not the allocation.
  if (globalBytes > static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE)))
    throw DecodeError(at(module(), variable.position) + "'" + variable.name +
                      "' makes the variables of the module greater than the "
                      "host's memory");
  auto block = memory.allocate(std::max<uint64_t>(variable.sizeBytes(), 1),
                               std::max<uint64_t>(variable.alignment, 256),
                               "variable '" + variable.name + "'");
  std::copy(variable.image.begin(), variable.image.end(), block->data());
  block->setInitialised(0, variable.sizeBytes());
  made->variableBlocks.push_back(block);
  images.push_back({&variable, block.get(), currentIndex});
  return block->address;
}

uint64_t ProgramBuilder::addressOf(SymbolUse symbol) const {
  switch (symbol.kind) {
  case SymbolUse::Kind::moduleVariable:
    return made->variableAddresses[symbol.index];
  case SymbolUse::Kind::functionVariable: {
    auto found =
        made->functionVariableAddresses.find({currentIndex, symbol.index});
    return found->second;
  }
  case SymbolUse::Kind::function:
    return functionWindow + uint64_t(16) * symbol.index;
  case SymbolUse::Kind::parameter:
  case SymbolUse::Kind::result:
    break;
  }
  return 0;
}

void ProgramBuilder::writeAddresses(const ptx::Variable &variable,
                                    MemoryBlock &block) {
  for (const ptx::Variable::AddressAt &entry : variable.addresses) {
    if (const ptx::Variable *named = variableOf(entry.symbol);
        named && named->space == StateSpace::shared)
      throw DecodeError(at(module(), variable.position) + "'" + variable.name +
                        "' is initialised with the address of the shared "
                        "variable '" +
                        named->name +
                        "', which each kernel has at a place of its own");
    const uint64_t value =
        (addressOf(entry.symbol) + static_cast<uint64_t>(entry.addend)) >>
        entry.shift;
    if (block.contains(entry.offset, entry.sizeBytes))
      std::memcpy(block.data() + entry.offset, &value,
                  std::min<size_t>(entry.sizeBytes, sizeof value));
  }
}

void ProgramBuilder::layOutFrame(Function &function) {
  uint64_t end = 0;
  auto place = [&](const ptx::Variable &v) {
    const uint64_t offset = alignUp(end, v.alignment);
    end = offset + v.sizeBytes();
    if (end > (uint64_t(1) << 20))
      throw DecodeError(at(module(), v.position) + "'" + v.name +
                        "' makes the local memory of '" + function.text->name +
                        "' greater than 1 MB");
    return static_cast<uint32_t>(offset);
  };
  for (const ptx::Variable &v : function.text->variables)
    function.frameOffsets.push_back(v.space == StateSpace::local ||
                                            v.space == StateSpace::parameter
                                        ? place(v)
                                        : 0);
  if (!function.text->isEntry) {
    for (const ptx::Variable &v : function.text->results)
      function.resultOffsets.push_back(place(v));
    for (const ptx::Variable &v : function.text->parameters)
      function.parameterOffsets.push_back(place(v));
  }
  function.frameBytes = static_cast<uint32_t>(alignUp(end, 16));
}

void ProgramBuilder::layOutParameters(Function &function) {
  uint64_t end = 0;
  for (const ptx::Variable &v : function.text->parameters) {
    end = alignUp(end, v.alignment);
    function.parameterBlockOffsets.push_back(static_cast<uint32_t>(end));
    end += v.sizeBytes();
    if (end > 32764)
      throw DecodeError(at(module(), v.position) + "the parameters of '" +
                        function.text->name + "' take more than 32764 bytes");
  }
  function.parameterBytes = static_cast<uint32_t>(end);
}

} // namespace ashlar::sim
