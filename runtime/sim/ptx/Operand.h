// Operands of instructions (PTX ISA, section 6).
#pragma once

#include "runtime/sim/ptx/Context.h"
#include "runtime/sim/ptx/OperandSyntax.h"

namespace ashlar::sim::ptx {

Operand makeOperand(Operand::Kind kind, Position position);

/// Parses the operands of one instruction.
class OperandParser {
public:
  OperandParser(Context &context, const Function &function,
                std::string_view opcode)
      : context(context), cursor(context.cursor), function(function),
        syntax(operandSyntax(opcode)) {}

  Operand parse();

  /// A register, as a guard is.
  RegisterUse parseRegister(const std::string &what);

  /// Whether an operand has a name that is not declared yet: it is of kind
  /// name, with integer -1, until resolve().
  bool hasUnresolved() const { return unresolved; }

private:
  Context &context;
  Cursor &cursor;
  const Function &function;
  OperandSyntax syntax;
  bool unresolved = false;

  Operand parseElement();
  Operand parseSingle();
  Operand parseList(std::string_view close, Operand::Kind kind);
  Operand parseNegated();
  Operand parseConstantOperand();
  Operand parseName();
  Operand parseRegisterUse(const Token &name, uint32_t index);
  Operand parseSpecial(const Token &name, const Special &special);
  Operand parseSymbol(const Entity &entity);
  Operand parseArrayElement(const SymbolUse &symbol);
  Operand parseAddress();
  const Variable *variable(const SymbolUse &symbol) const;
  RegisterUse parseUse(const Token &name, uint32_t index);
  uint8_t parseComponent(const Token &name, uint8_t length);
  [[noreturn]] void failUndeclared(const Token &name) const;
};

} // namespace ashlar::sim::ptx
