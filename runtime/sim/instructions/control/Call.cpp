#include "runtime/sim/instructions/control/Call.h"

#include "runtime/sim/instructions/ProgramBuilder.h"
#include "runtime/sim/instructions/control/Builtins.h"
#include "runtime/sim/machine/Cluster.h"
#include "runtime/sim/machine/Launch.h"

#include <algorithm>
#include <cstring>

namespace ashlar::sim {

namespace {

using ptx::Operand;
using ptx::StateSpace;
using ptx::SymbolUse;

/// An argument or a result on the caller's side: a .param variable in its
/// frame, or a register or constant.
struct Passed {
  bool inFrame = false;
  Slot slot; // of the value, or of the variable's address
  uint32_t sizeBytes = 0;
};

/// The same on the callee's side.
struct Formal {
  bool inFrame = false;
  Slot slot;           // when it is a register
  uint32_t offset = 0; // in the callee's frame, when it is a variable
  uint32_t sizeBytes = 0;
  uint32_t alignment = 1;
};

struct Call final : Instruction {
  const Program *program = nullptr;
  int callee = -1; // index of the function, -1: by `pointer`
  Slot pointer;
  std::vector<Passed> arguments, results;

  Step execute(Warp &warp, LaneMask active) const override;
  void enter(Warp &warp, LaneMask active, uint32_t index) const;
  void callBuiltinOf(Warp &warp, LaneMask active,
                     const ptx::Function &text) const;
};

uint8_t *frameBytes(Warp &warp, unsigned lane, uint64_t address,
                    uint32_t sizeBytes) {
  MemoryBlock &block = warp.cta.localOf(warp.index * warpLanes + lane);
  if (!block.contains(address, sizeBytes))
    warp.stop(Finding::outOfBounds,
              "the thread's local memory is used up: is there a recursion "
              "without end?",
              "calls a function", static_cast<int>(lane));
  return block.data() + address;
}

void copyValue(Warp &warp, unsigned lane, const Passed &from, uint8_t *to) {
  if (from.inFrame) {
    std::memcpy(
        to, frameBytes(warp, lane, warp.bits(from.slot, lane), from.sizeBytes),
        from.sizeBytes);
    return;
  }
  const auto *values = warp.lanes<uint8_t>(from.slot);
  std::memcpy(to, values + lane * from.slot.laneBytes, from.sizeBytes);
}

void storeValue(Warp &warp, unsigned lane, const Passed &to,
                const uint8_t *from) {
  if (to.inFrame) {
    std::memcpy(frameBytes(warp, lane, warp.bits(to.slot, lane), to.sizeBytes),
                from, to.sizeBytes);
    return;
  }
  uint64_t value[2] = {};
  std::memcpy(value, from, std::min<size_t>(to.sizeBytes, sizeof value));
  std::memcpy(warp.lanes<uint8_t>(to.slot) + lane * to.slot.laneBytes, value,
              to.slot.laneBytes);
}

std::vector<Formal> formals(const std::vector<ptx::Variable> &variables,
                            const std::vector<uint32_t> &offsets,
                            const std::vector<Slot> &registers) {
  std::vector<Formal> result;
  for (size_t i = 0; i < variables.size(); ++i) {
    Formal formal;
    formal.sizeBytes = static_cast<uint32_t>(variables[i].sizeBytes());
    formal.alignment = static_cast<uint32_t>(variables[i].alignment);
    if (i < registers.size()) {
      formal.slot = registers[i];
    } else {
      formal.inFrame = true;
      formal.offset = offsets[i];
    }
    result.push_back(formal);
  }
  return result;
}

std::vector<Formal> parametersOf(const Function &function) {
  return formals(function.text->parameters, function.parameterOffsets,
                 function.parameterSlots);
}

std::vector<Formal> resultsOf(const Function &function) {
  return formals(function.text->results, function.resultOffsets,
                 function.resultSlots);
}

} // namespace

// The callee's frame begins where the caller's ends: its variables are written
// before it is entered.
void Call::enter(Warp &warp, LaneMask active, uint32_t index) const {
  const Function &function = *program->functions[index];
  const auto parameters = parametersOf(function);
  if (parameters.size() != arguments.size() ||
      function.text->results.size() < results.size())
    warp.stop(Finding::other,
              "'" + function.text->name + "' takes " +
                  std::to_string(parameters.size()) + " arguments; " +
                  std::to_string(arguments.size()) + " are given",
              "calls it");
  // All values are read before any is written: in a recursion the callee's
  // registers are the caller's.
  std::vector<std::vector<uint8_t>> values(arguments.size() * warpLanes);
  for (size_t i = 0; i < arguments.size(); ++i)
    forEachLane(active, [&](unsigned lane) {
      auto &value = values[i * warpLanes + lane];
      value.resize(std::max(arguments[i].sizeBytes, parameters[i].sizeBytes));
      copyValue(warp, lane, arguments[i], value.data());
    });
  std::array<uint32_t, warpLanes> frame = warp.localTop;
  warp.call(active, function, this);
  for (size_t i = 0; i < parameters.size(); ++i)
    forEachLane(active, [&](unsigned lane) {
      const auto &value = values[i * warpLanes + lane];
      if (parameters[i].inFrame) {
        std::memcpy(frameBytes(warp, lane, frame[lane] + parameters[i].offset,
                               parameters[i].sizeBytes),
                    value.data(), parameters[i].sizeBytes);
      } else {
        storeValue(warp, lane,
                   {false, parameters[i].slot, parameters[i].sizeBytes},
                   value.data());
      }
    });
}

// A recursion restores the caller's registers when it returns, so the results
// are read before and written after.
void returnFromCall(Warp &warp, LaneMask lanes) {
  const auto *call = static_cast<const Call *>(warp.callSite());
  if (!call) {
    warp.exitLanes(lanes);
    return;
  }
  const Function &function = warp.currentFunction();
  const auto from = resultsOf(function);
  std::vector<std::vector<uint8_t>> values(call->results.size() * warpLanes);
  for (size_t i = 0; i < call->results.size(); ++i)
    forEachLane(lanes, [&](unsigned lane) {
      const uint8_t *bytes =
          from[i].inFrame ? frameBytes(warp, lane,
                                       warp.localTop[lane] -
                                           function.frameBytes + from[i].offset,
                                       from[i].sizeBytes)
                          : warp.lanes<uint8_t>(from[i].slot) +
                                lane * from[i].slot.laneBytes;
      values[i * warpLanes + lane].assign(bytes, bytes + from[i].sizeBytes);
      values[i * warpLanes + lane].resize(
          std::max(from[i].sizeBytes, call->results[i].sizeBytes));
    });
  warp.returnFromCall(lanes);
  for (size_t i = 0; i < call->results.size(); ++i)
    forEachLane(lanes, [&](unsigned lane) {
      storeValue(warp, lane, call->results[i],
                 values[i * warpLanes + lane].data());
    });
}

void Call::callBuiltinOf(Warp &warp, LaneMask active,
                         const ptx::Function &text) const {
  std::array<std::vector<uint8_t>, warpLanes> parameters, values;
  forEachLane(active, [&](unsigned lane) {
    auto &bytes = parameters[lane];
    for (const Passed &argument : arguments) {
      const size_t begin = (bytes.size() + argument.sizeBytes - 1) /
                           std::max(argument.sizeBytes, 1u) *
                           argument.sizeBytes;
      bytes.resize(begin + argument.sizeBytes);
      copyValue(warp, lane, argument, bytes.data() + begin);
    }
  });
  callBuiltin(warp, active, text.name, parameters, values);
  if (results.empty())
    return;
  forEachLane(active, [&](unsigned lane) {
    values[lane].resize(results[0].sizeBytes);
    storeValue(warp, lane, results[0], values[lane].data());
  });
}

Step Call::execute(Warp &warp, LaneMask active) const {
  uint64_t index = static_cast<uint64_t>(callee);
  if (callee < 0) {
    // Lanes with another target call it in their turn.
    const auto first = static_cast<unsigned>(std::countr_zero(active));
    const uint64_t address = warp.bits(pointer, first);
    index = (address - functionWindow) / 16;
    if (address < functionWindow || address % 16 ||
        index >= program->functions.size())
      warp.stop(Finding::other,
                "an indirect call through a value that is not the address of "
                "a function",
                "calls it", static_cast<int>(first));
    LaneMask together = 0;
    forEachLane(active, [&](unsigned lane) {
      if (warp.bits(pointer, lane) == address)
        together |= LaneMask(1) << lane;
    });
    if (together != active)
      warp.leaveBehind(active & ~together);
    active = together;
  }
  const ptx::Function &text = *program->functions[index]->text;
  if (!text.isDefined) {
    callBuiltinOf(warp, active, text);
    return Step::next;
  }
  enter(warp, active, static_cast<uint32_t>(index));
  return Step::moved;
}

namespace {

std::vector<Passed> decodePassed(Decoder &decoder, const Operand &list,
                                 const std::vector<ptx::Variable> *formal,
                                 bool isResult) {
  std::vector<Passed> result;
  if (formal && formal->size() != list.elements.size())
    decoder.refuse("it passes " + std::to_string(list.elements.size()) +
                   (isResult ? " results" : " arguments") + " where " +
                   std::to_string(formal->size()) + " are declared");
  for (size_t i = 0; i < list.elements.size(); ++i) {
    const Operand &operand = list.elements[i];
    Passed passed;
    const ptx::Variable *variable =
        operand.kind == Operand::Kind::symbol
            ? decoder.program().variableOf(operand.symbol)
            : nullptr;
    if (variable && variable->space == StateSpace::parameter) {
      passed.inFrame = true;
      passed.slot =
          decoder.program().symbolAddress(operand.symbol, operand.integer, 8);
      passed.sizeBytes = static_cast<uint32_t>(variable->sizeBytes());
      if (formal && (*formal)[i].sizeBytes() != passed.sizeBytes)
        decoder.refuse("'" + variable->name + "' has " +
                       std::to_string(passed.sizeBytes) + " bytes; '" +
                       (*formal)[i].name + "' has " +
                       std::to_string((*formal)[i].sizeBytes()));
    } else {
      const ptx::Type type = formal ? (*formal)[i].type : ptx::Type::b64;
      passed.slot = isResult ? decoder.targetAnyWidth(operand, type)
                             : decoder.sourceAnyWidth(operand, type);
      if (passed.slot.laneBytes == 0)
        decoder.refuse("a predicate can't be passed to a function");
      passed.sizeBytes = formal
                             ? static_cast<uint32_t>((*formal)[i].sizeBytes())
                             : passed.slot.laneBytes;
      passed.sizeBytes =
          std::min<uint32_t>(passed.sizeBytes, passed.slot.laneBytes);
    }
    result.push_back(passed);
  }
  return result;
}

} // namespace

Decoded decodeCall(Decoder &decoder) {
  decoder.modifiers.take("uni");
  decoder.expectOperands(1, 4);
  auto result = std::make_unique<Call>();
  result->program = &decoder.program().program();
  size_t next = 0;
  const Operand *results = nullptr, *arguments = nullptr;
  if (decoder.operand(0).kind == Operand::Kind::list)
    results = &decoder.operand(next++);
  const Operand &target = decoder.operand(next++);
  if (next < decoder.operandCount() &&
      decoder.operand(next).kind == Operand::Kind::list)
    arguments = &decoder.operand(next++);
  const ptx::Function *callee = nullptr;
  if (target.kind == Operand::Kind::symbol &&
      target.symbol.kind == SymbolUse::Kind::function) {
    result->callee = static_cast<int>(target.symbol.index);
    callee = &decoder.module().functions[target.symbol.index];
    if (callee->isEntry)
      decoder.refuse("'" + callee->name +
                     "' is a kernel; only a .func can be "
                     "called");
    if (!callee->isDefined && !isBuiltin(callee->name))
      decoder.refuse("'" + callee->name +
                     "' is declared but not defined, and "
                     "there is no linker here: define it in this module");
  } else {
    result->pointer = decoder.source(target, ptx::Type::u64);
    if (next < decoder.operandCount())
      ++next; // the prototype or the list of targets
  }
  if (next < decoder.operandCount() && callee)
    ++next;
  if (next != decoder.operandCount())
    decoder.refuse("its operands are not (results), function, (arguments)");
  if (results)
    result->results = decodePassed(decoder, *results,
                                   callee ? &callee->results : nullptr, true);
  else if (callee && !callee->results.empty() && callee->isDefined)
    decoder.refuse("the result of '" + callee->name + "' goes nowhere");
  if (arguments)
    result->arguments = decodePassed(
        decoder, *arguments, callee ? &callee->parameters : nullptr, false);
  else if (callee && !callee->parameters.empty())
    decoder.refuse("'" + callee->name + "' needs arguments");
  return result;
}

} // namespace ashlar::sim
