#include "runtime/sim/instructions/Decoder.h"

#include "runtime/sim/instructions/ProgramBuilder.h"

#include <bit>
#include <cmath>

namespace ashlar::sim {

using ptx::Operand;
using ptx::StateSpace;
using ptx::Type;

namespace {

/// Bytes of a lane's value of the type in the register file.
unsigned laneBytes(Type type) {
  return type == Type::pred ? 0 : std::max(2u, ptx::sizeBytes(type));
}

/// The bits of a float literal in the type. The literal is a double's bits,
/// or, for 0f..., a float's.
std::optional<uint64_t> literalBits(const Operand &operand, Type type) {
  const bool isSingle = operand.kind == Operand::Kind::real32;
  const auto single =
      std::bit_cast<float>(static_cast<uint32_t>(operand.integer));
  const auto wide =
      std::bit_cast<double>(static_cast<uint64_t>(operand.integer));
  switch (type) {
  case Type::f32:
  case Type::tf32:
  case Type::b32:
    return std::bit_cast<uint32_t>(isSingle ? single
                                            : static_cast<float>(wide));
  case Type::f64:
  case Type::b64:
    return std::bit_cast<uint64_t>(isSingle ? static_cast<double>(single)
                                            : wide);
  default:
    return std::nullopt;
  }
}

} // namespace

Decoder::Decoder(ProgramBuilder &builder, const ptx::Instruction &text,
                 bool anyOrder)
    : text(text), modifiers(text.modifiers, anyOrder), builder(builder) {}

void Decoder::refuse(const std::string &sentence) const {
  throw DecodeError(module().name + ":" + std::to_string(text.position.line) +
                    ":" + std::to_string(text.position.column) + ": '" +
                    ptx::mnemonic(text) + "': " + sentence);
}

const Operand &Decoder::operand(size_t index) {
  if (index >= text.operands.size())
    refuse("it has " + std::to_string(text.operands.size()) +
           " operands, too few");
  return text.operands[index];
}

void Decoder::expectOperands(size_t least, size_t most) {
  const size_t count = operandCount();
  if (count < least || count > most)
    refuse("it has " + std::to_string(count) + " operands; it takes " +
           std::to_string(least) +
           (least == most ? "" : " to " + std::to_string(most)));
}

bool Decoder::takeAligned() {
  const bool isTaken = modifiers.take("aligned");
  traits.aligned |= isTaken;
  return isTaken;
}

void Decoder::expectNoMoreModifiers() {
  if (!modifiers.empty())
    refuse("'." + std::string(modifiers.next()) +
           "' is not known here, or not in this order");
}

Slot Decoder::sourceAnyWidth(const Operand &operand, Type type) {
  const unsigned width = laneBytes(type);
  switch (operand.kind) {
  case Operand::Kind::registerUse: {
    if (operand.negated)
      refuse("'!' stands before an operand that is not a predicate");
    Slot slot = builder.registerSlot(operand.registerUse);
    if (slot.laneBytes == 0 && type != Type::pred)
      refuse("operand '" + builder.registerOf(operand.registerUse).name +
             "' is a predicate where a value is needed");
    registers.push_back(slot);
    return slot;
  }
  case Operand::Kind::special: {
    const ptx::Special &special = *operand.special;
    if (!special.isFixed() ||
        (special.isVector && (operand.integer < 0 || operand.integer > 2)))
      refuse("special register '" + operand.text + "' is not known here");
    const int64_t component = special.isVector ? operand.integer : 0;
    return builder.special(special.which, static_cast<uint8_t>(component),
                           width ? width : 4);
  }
  case Operand::Kind::integer: {
    if (ptx::isFloat(type) && ptx::bits(type) > 16 && type != Type::f16x2 &&
        type != Type::bf16x2)
      refuse("an integer stands where a floating-point value is needed: write "
             "it with a point, or as 0f or 0d and its bits");
    auto value = static_cast<uint64_t>(operand.integer);
    if (type == Type::pred)
      return builder.constant(0, value ? allLanes : 0, 0);
    if (width < 8)
      value &= (uint64_t(1) << (width * 8)) - 1;
    const bool extendsSign = width == 16 && operand.integer < 0;
    return builder.constant(width, value, extendsSign ? ~uint64_t(0) : 0);
  }
  case Operand::Kind::real32:
  case Operand::Kind::real64: {
    auto bits = literalBits(operand, type);
    if (!bits)
      refuse("a floating-point literal can't have type ." +
             std::string(ptx::name(type)));
    return builder.constant(width, *bits, 0);
  }
  case Operand::Kind::symbol:
    if (width != 4 && width != 8)
      refuse("an address needs 32 or 64 bits");
    return builder.symbolAddress(operand.symbol, operand.integer, width);
  default:
    refuse("an operand is not a value: a register, a literal or the name of a "
           "variable is needed");
  }
}

Slot Decoder::source(const Operand &operand, Type type) {
  Slot slot = sourceAnyWidth(operand, type);
  if (type == Type::pred && slot.laneBytes != 0)
    refuse("a predicate is needed as operand");
  if (slot.laneBytes != laneBytes(type))
    refuse("operand '" + builder.registerOf(operand.registerUse).name +
           "' has " + std::to_string(slot.laneBytes * 8) + " bits; ." +
           std::string(ptx::name(type)) + " needs " +
           std::to_string(laneBytes(type) * 8));
  return slot;
}

Slot Decoder::targetAnyWidth(const Operand &operand, Type type) {
  if (operand.kind == Operand::Kind::sink)
    return builder.temporary(laneBytes(type));
  if (operand.kind != Operand::Kind::registerUse || operand.negated)
    refuse("the destination is not a register");
  Slot slot = sourceAnyWidth(operand, type);
  writesRegister.resize(registers.size());
  if (!registers.empty())
    writesRegister.back() = true;
  return slot;
}

Slot Decoder::target(const Operand &operand, Type type) {
  Slot slot = targetAnyWidth(operand, type);
  if (slot.laneBytes != laneBytes(type))
    refuse("destination '" + builder.registerOf(operand.registerUse).name +
           "' has " + std::to_string(slot.laneBytes * 8) + " bits; ." +
           std::string(ptx::name(type)) + " needs " +
           std::to_string(laneBytes(type) * 8));
  return slot;
}

Slot Decoder::predicateSource(const Operand &operand, bool &negated) {
  negated = operand.negated;
  if (operand.kind == Operand::Kind::integer)
    return builder.constant(0, operand.integer != 0 ? allLanes : 0, 0);
  if (operand.kind != Operand::Kind::registerUse)
    refuse("a predicate is needed as operand");
  Slot slot = builder.registerSlot(operand.registerUse);
  if (slot.laneBytes != 0)
    refuse("operand '" + builder.registerOf(operand.registerUse).name +
           "' is not a predicate");
  return slot;
}

Slot Decoder::predicateTarget(const Operand &operand) {
  if (operand.kind == Operand::Kind::sink)
    return builder.temporary(0);
  if (operand.kind != Operand::Kind::registerUse || operand.negated)
    refuse("the destination is not a predicate register");
  Slot slot = builder.registerSlot(operand.registerUse);
  if (slot.laneBytes != 0)
    refuse("destination '" + builder.registerOf(operand.registerUse).name +
           "' is not a predicate");
  return slot;
}

std::vector<const Operand *> Decoder::elements(const Operand &operand) {
  std::vector<const Operand *> result;
  if (operand.kind != Operand::Kind::vector)
    return {&operand};
  for (const Operand &element : operand.elements)
    result.push_back(&element);
  return result;
}

AddressOperand Decoder::address(const Operand &operand) {
  if (operand.kind != Operand::Kind::address)
    refuse("an address in brackets is needed");
  const ptx::Address &text = *operand.address;
  AddressOperand result;
  result.offset = text.offset;
  if (text.base) {
    result.base = builder.registerSlot(*text.base);
    if (result.base->laneBytes != 4 && result.base->laneBytes != 8)
      refuse("the address register '" + builder.registerOf(*text.base).name +
             "' has neither 32 nor 64 bits");
    registers.push_back(*result.base);
  }
  if (!text.symbol)
    return result;
  const ptx::Variable *variable = builder.variableOf(*text.symbol);
  if (!variable)
    refuse("the name of a function stands where an address is needed");
  result.symbolSpace = variable->space;
  if (variable->space == StateSpace::parameter) {
    if (text.symbol->kind == ptx::SymbolUse::Kind::parameter &&
        function().isEntry) {
      result.namesKernelParameter = true;
      result.offset +=
          builder.currentFunction().parameterBlockOffsets[text.symbol->index];
      return result;
    }
    result.symbolSpace = StateSpace::local;
  }
  result.base = builder.symbolAddress(*text.symbol, 0, 8);
  return result;
}

int64_t Decoder::immediate(const Operand &operand) {
  if (operand.kind != Operand::Kind::integer)
    refuse("an operand must be an integer constant");
  return operand.integer;
}

Slot Decoder::temporary(unsigned laneBytes) {
  return builder.temporary(laneBytes);
}

Slot Decoder::constant(unsigned laneBytes, uint64_t low, uint64_t high) {
  return builder.constant(laneBytes, low, high);
}

uint32_t Decoder::labelTarget(const Operand &operand) {
  if (operand.kind != Operand::Kind::label)
    refuse("a label is needed");
  return function().labels[static_cast<size_t>(operand.integer)].instruction;
}

const ptx::Module &Decoder::module() const { return builder.module(); }
const ptx::Function &Decoder::function() const { return builder.function(); }

} // namespace ashlar::sim
