#include "runtime/sim/instructions/ProgramBuilder.h"

#include "runtime/sim/instructions/GuessedLoads.h"
#include "runtime/sim/instructions/LayOutShared.h"
#include "runtime/sim/instructions/Opcodes.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <unistd.h>

namespace ashlar::sim {

using ptx::StateSpace;
using ptx::SymbolUse;

namespace {

constexpr uint32_t slotAlignment = 64;

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
  const std::vector<Guessing> guessing = findGuessedLoads(*function.text);
  std::set<uint32_t> linesAround;
  for (const ptx::Note &note : module().notes)
    if (note.text == "around")
      linesAround.insert(note.position.line + 1);
  for (const ptx::Instruction &text : function.text->body) {
    function.body.push_back(decodeInstruction(text));
    const Guessing &found = guessing[function.body.size() - 1];
    Traits &traits = function.body.back()->traits;
    traits.guesses = found.isGuess;
    traits.replacesBits = found.replacesBits;
    traits.readsAround =
        text.opcode == "ld" && linesAround.contains(text.position.line);
  }
  function.registersEnd = made->registerBytes;
}

// What is not in the order of the ISA's syntax may be right in another: if not,
// what is wrong is told of the order as it should be.
std::unique_ptr<Instruction>
ProgramBuilder::decodeInstruction(const ptx::Instruction &text) {
  try {
    return decodeInstruction(text, /*anyOrder=*/false);
  } catch (const DecodeError &) {
    const std::exception_ptr inOrder = std::current_exception();
    try {
      return decodeInstruction(text, /*anyOrder=*/true);
    } catch (const DecodeError &) {
      std::rethrow_exception(inOrder);
    }
  }
}

std::unique_ptr<Instruction>
ProgramBuilder::decodeInstruction(const ptx::Instruction &text, bool anyOrder) {
  Decoder decoder(*this, text, anyOrder);
  const Opcode *opcode = opcodes().find(text.opcode);
  if (!opcode)
    decoder.refuse("the instruction is not known");
  decoder.traits = opcode->traits;
  Decoded instruction = opcode->decode(decoder);
  decoder.expectNoMoreModifiers();
  instruction->text = &text;
  instruction->function = current->text;
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
  return instruction;
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

Slot ProgramBuilder::special(ptx::SpecialRegister which, uint8_t component,
                             unsigned laneBytes) {
  auto [entry, isNew] =
      specials.try_emplace(std::tuple(which, component, laneBytes));
  if (isNew) {
    entry->second = temporary(laneBytes);
    made->specials.push_back({entry->second, which, component});
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
    const VariableId id{symbol.kind == SymbolUse::Kind::functionVariable
                            ? static_cast<int>(currentIndex)
                            : -1,
                        symbol.index};
    auto [entry, isNew] =
        sharedAddresses.try_emplace(std::tuple(id, addend, laneBytes));
    if (isNew) {
      entry->second = temporary(laneBytes);
      made->sharedAddresses.push_back({entry->second, id,
                                       static_cast<uint32_t>(addend),
                                       isDynamicShared(*variable)});
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
