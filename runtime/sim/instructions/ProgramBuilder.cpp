#include "runtime/sim/instructions/ProgramBuilder.h"

#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace ashlar::sim {

using ptx::StateSpace;
using ptx::SymbolUse;

namespace {

constexpr uint32_t slotAlignment = 64;

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::string at(const ptx::Module &module, ptx::Position position) {
  return module.name + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column) + ": ";
}

} // namespace

int Program::functionNamed(const std::string &name) const {
  for (size_t i = 0; i < functions.size(); ++i)
    if (functions[i]->text->name == name && functions[i]->text->isDefined)
      return static_cast<int>(i);
  return -1;
}

ProgramBuilder::ProgramBuilder(std::shared_ptr<const ptx::Module> module,
                               GlobalMemory &memory)
    : made(std::make_shared<Program>()), memory(memory) {
  made->module = std::move(module);
}

std::shared_ptr<Program> ProgramBuilder::build() {
  for (const ptx::Function &text : module().functions) {
    auto function = std::make_unique<Function>();
    function->text = &text;
    made->functions.push_back(std::move(function));
  }
  layOutVariables();
  for (uint32_t i = 0; i < made->functions.size(); ++i)
    decodeBody(*made->functions[i], i);
  return made;
}

// Static variables first, then the dynamic part, aligned as its declaration
// asks (the hardware gives 16 bytes at least; declarations of 1024 hold as the
// window's reserved part is 1024 bytes).
void ProgramBuilder::layOutVariables() {
  made->sharedEnd = reservedSharedBytes;
  uint64_t dynamicAlignment = 16;
  auto isDynamic = [](const ptx::Variable &v) {
    return v.space == StateSpace::shared && v.elements == 0;
  };
  auto place = [&](const ptx::Variable &v) -> uint64_t {
    if (isDynamic(v)) {
      dynamicAlignment = std::max(dynamicAlignment, v.alignment);
      return 0;
    }
    if (v.space == StateSpace::shared)
      return layOutShared(v);
    if (v.space == StateSpace::global || v.space == StateSpace::constant)
      return layOutGlobal(v);
    return 0;
  };
  for (const ptx::Variable &v : module().variables)
    made->variableAddresses.push_back(place(v));
  for (uint32_t f = 0; f < made->functions.size(); ++f)
    for (uint32_t i = 0; i < module().functions[f].variables.size(); ++i)
      made->functionVariableAddresses[{f, i}] =
          place(module().functions[f].variables[i]);
  made->dynamicSharedBegin =
      static_cast<uint32_t>(alignUp(made->sharedEnd, dynamicAlignment));
  for (size_t i = 0; i < module().variables.size(); ++i)
    if (isDynamic(module().variables[i]))
      made->variableAddresses[i] = made->dynamicSharedBegin;
  for (auto &[key, address] : made->functionVariableAddresses)
    if (isDynamic(module().functions[key.first].variables[key.second]))
      address = made->dynamicSharedBegin;
  for (auto &[variable, block] : images)
    writeAddresses(*variable, *block);
}

uint64_t ProgramBuilder::layOutShared(const ptx::Variable &variable) {
  const uint64_t address = alignUp(made->sharedEnd, variable.alignment);
  if (variable.sizeBytes() > maxSharedBytes ||
      address + variable.sizeBytes() > reservedSharedBytes + maxSharedBytes)
    throw DecodeError(at(module(), variable.position) + "'" + variable.name +
                      "' takes static shared memory beyond the " +
                      std::to_string(maxSharedBytes) + " bytes that a CTA has");
  made->sharedEnd = static_cast<uint32_t>(address + variable.sizeBytes());
  return address;
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
  images.emplace_back(&variable, block.get());
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

void ProgramBuilder::decodeBody(Function &function, uint32_t index) {
  current = &function;
  currentIndex = index;
  registers.clear();
  frameAddresses.clear();
  layOutFrame(function);
  if (function.text->isEntry)
    layOutParameters(function);
  function.registersBegin = made->registerBytes;
  for (uint32_t index : function.text->resultRegisters)
    function.resultSlots.push_back(registerSlot({index, 0}));
  for (uint32_t index : function.text->parameterRegisters)
    function.parameterSlots.push_back(registerSlot({index, 0}));
  for (const ptx::Instruction &text : function.text->body) {
    Decoder decoder(*this, text);
    const Opcode *opcode = opcodes().find(text.opcode);
    if (!opcode)
      decoder.refuse("the instruction is not known");
    decoder.traits = opcode->traits;
    Decoded instruction = opcode->decode(decoder);
    decoder.expectNoMoreModifiers();
    instruction->text = &text;
    instruction->function = function.text;
    instruction->traits = decoder.traits;
    if (!decoder.traits.holdsRegisters) {
      instruction->registers = std::move(decoder.registers);
      instruction->writesRegister = std::move(decoder.writesRegister);
    }
    if (text.guard) {
      instruction->hasGuard = true;
      instruction->guardNegated = text.guard->negated;
      instruction->guard = registerSlot(text.guard->predicate);
      if (instruction->guard.laneBytes != 0)
        decoder.refuse("the guard is not a predicate register");
    }
    function.body.push_back(std::move(instruction));
  }
  function.registersEnd = made->registerBytes;
}

Slot ProgramBuilder::temporary(unsigned laneBytes) {
  Slot slot;
  slot.laneBytes = static_cast<uint8_t>(laneBytes);
  slot.offset = made->registerBytes;
  const uint64_t size = laneBytes ? laneBytes * warpLanes : sizeof(LaneMask);
  const uint64_t end = alignUp(slot.offset + size, slotAlignment);
  if (end > (uint64_t(1) << 30))
    throw DecodeError(module().name +
                      ": the registers of a warp take more than 1 GB");
  made->registerBytes = static_cast<uint32_t>(end);
  current->slots.push_back(slot);
  return slot;
}

const ptx::Register &ProgramBuilder::registerOf(ptx::RegisterUse use) const {
  return current->text->registers[use.index];
}

Slot ProgramBuilder::registerSlot(ptx::RegisterUse use) {
  auto [entry, isNew] =
      registers.try_emplace(std::pair(use.index, use.component));
  if (isNew) {
    const ptx::Type type = registerOf(use).type;
    entry->second = temporary(
        type == ptx::Type::pred ? 0 : std::max(2u, ptx::sizeBytes(type)));
  }
  return entry->second;
}

Slot ProgramBuilder::constant(unsigned laneBytes, uint64_t low, uint64_t high) {
  auto [entry, isNew] = constants.try_emplace(std::tuple(laneBytes, low, high));
  if (isNew) {
    entry->second = temporary(laneBytes);
    made->constants.push_back({entry->second, low, high});
  }
  return entry->second;
}

Slot ProgramBuilder::special(SpecialRegister which, unsigned laneBytes) {
  auto [entry, isNew] = specials.try_emplace(std::pair(which, laneBytes));
  if (isNew) {
    entry->second = temporary(laneBytes);
    made->specials.push_back({entry->second, which});
  }
  return entry->second;
}

const ptx::Variable *ProgramBuilder::variableOf(SymbolUse symbol) const {
  switch (symbol.kind) {
  case SymbolUse::Kind::moduleVariable:
    return &module().variables[symbol.index];
  case SymbolUse::Kind::functionVariable:
    return &current->text->variables[symbol.index];
  case SymbolUse::Kind::parameter:
    return &current->text->parameters[symbol.index];
  case SymbolUse::Kind::result:
    return &current->text->results[symbol.index];
  case SymbolUse::Kind::function:
    break;
  }
  return nullptr;
}

uint32_t ProgramBuilder::frameOffset(SymbolUse symbol) const {
  switch (symbol.kind) {
  case SymbolUse::Kind::functionVariable:
    return current->frameOffsets[symbol.index];
  case SymbolUse::Kind::parameter:
    return current->parameterOffsets[symbol.index];
  case SymbolUse::Kind::result:
    return current->resultOffsets[symbol.index];
  case SymbolUse::Kind::moduleVariable:
  case SymbolUse::Kind::function:
    break;
  }
  return 0;
}

Slot ProgramBuilder::symbolAddress(SymbolUse symbol, int64_t addend,
                                   unsigned laneBytes) {
  const ptx::Variable *variable = variableOf(symbol);
  if (!variable)
    return constant(laneBytes, addressOf(symbol), 0);
  if (symbol.kind == SymbolUse::Kind::parameter && current->text->isEntry)
    return constant(laneBytes,
                    current->parameterBlockOffsets[symbol.index] +
                        static_cast<uint64_t>(addend),
                    0);
  if (variable->space == StateSpace::shared) {
    const uint64_t offset = addressOf(symbol) + static_cast<uint64_t>(addend);
    auto [entry, isNew] =
        sharedAddresses.try_emplace(std::pair(offset, laneBytes));
    if (isNew) {
      entry->second = temporary(laneBytes);
      made->sharedAddresses.push_back(
          {entry->second, static_cast<uint32_t>(offset), false});
    }
    return entry->second;
  }
  if (variable->space == StateSpace::local ||
      variable->space == StateSpace::parameter) {
    const auto offset = static_cast<uint32_t>(frameOffset(symbol) + addend);
    auto [entry, isNew] =
        frameAddresses.try_emplace(std::pair(offset, laneBytes));
    if (isNew) {
      entry->second = temporary(laneBytes);
      current->frameAddresses.push_back({entry->second, offset, false});
    }
    return entry->second;
  }
  return constant(laneBytes, addressOf(symbol) + static_cast<uint64_t>(addend),
                  0);
}

std::shared_ptr<Program> decode(std::shared_ptr<const ptx::Module> module,
                                GlobalMemory &memory) {
  return ProgramBuilder(std::move(module), memory).build();
}

} // namespace ashlar::sim
