#include "runtime/sim/ptx/Body.h"

#include "runtime/sim/ptx/Declaration.h"
#include "runtime/sim/ptx/Directive.h"
#include "runtime/sim/ptx/Operand.h"

namespace ashlar::sim::ptx {

size_t BodyParser::parse() { return parseBlock(); }

// The statements between '{' and '}'; the caller has opened the scope.
size_t BodyParser::parseBlock() {
  const Cursor::Nesting nesting(cursor);
  const Position start = cursor.peek().position;
  cursor.expect("{", "before the body of a function");
  waiting.emplace_back();
  while (!cursor.atPunctuation("}")) {
    if (cursor.atEnd())
      cursor.fail(start, "this '{' is never closed; the text ends before");
    parseStatement();
  }
  resolve();
  return cursor.take().offset;
}

void BodyParser::parseStatement() {
  if (cursor.atPunctuation("{")) {
    context.names.enter();
    parseBlock();
    context.names.leave();
  } else if (cursor.atDotted()) {
    parseDirective();
  } else if (cursor.atPunctuation("@") || cursor.atIdentifier()) {
    parseInstruction();
  } else {
    cursor.failExpected("an instruction, a label, a directive or '}'");
  }
}

void BodyParser::parseDirective() {
  const Token token = cursor.take();
  if (token.text == "reg")
    parseRegisters(context, function);
  else if (token.text == "loc")
    source = parseLocation(context);
  else if (token.text == "pragma")
    skipPragma(context);
  else if (token.text == "file")
    parseFile(context);
  else if (const auto declared = parseLinkedSpace(context, token))
    parseVariables(context, declared->space, declared->isExternal,
                   SymbolUse::Kind::functionVariable, function.variables);
  else if (token.text == "branchtargets" || token.text == "calltargets" ||
           token.text == "callprototype")
    cursor.fail(token.position, "'." + std::string(token.text) +
                                    "' needs a label before it, by which it "
                                    "is used");
  else
    failUnknownDirective(context, token, "in the body of a function");
}

void BodyParser::parseLabel(const Token &name) {
  context.requireNew(name, "label");
  if (cursor.atDotted("branchtargets") || cursor.atDotted("calltargets") ||
      cursor.atDotted("callprototype")) {
    parseTargets(name);
    return;
  }
  Entity entity;
  entity.kind = Entity::Kind::label;
  entity.index = static_cast<uint32_t>(function.labels.size());
  entity.position = name.position;
  context.names.declare(name.text, entity);
  function.labels.push_back({std::string(name.text),
                             static_cast<uint32_t>(function.body.size()),
                             name.position});
}

void BodyParser::parseInstruction() {
  Instruction instruction;
  instruction.position = cursor.peek().position;
  if (cursor.atPunctuation("@"))
    instruction.guard = parseGuard();
  const Token opcode = cursor.expectIdentifier("an instruction");
  if (!instruction.guard && cursor.accept(":")) {
    parseLabel(opcode);
    return;
  }
  if (opcode.text[0] == '%' || opcode.text[0] == '$')
    cursor.fail(opcode.position, "expected an instruction, not '" +
                                     std::string(opcode.text) + "'");
  instruction.opcode = opcode.text;
  while (cursor.atDotted())
    instruction.modifiers.emplace_back(cursor.take().text);
  OperandParser operands(context, function, opcode.text);
  if (!cursor.atPunctuation(";"))
    do
      instruction.operands.push_back(operands.parse());
    while (cursor.accept(","));
  cursor.expect(";", "after the instruction");
  if (operands.hasUnresolved())
    waiting.back().push_back(
        {false, static_cast<uint32_t>(function.body.size())});
  instruction.source = source;
  if (function.source.line == 0)
    function.source = source;
  function.body.push_back(std::move(instruction));
}

Guard BodyParser::parseGuard() {
  cursor.take();
  Guard guard;
  guard.negated = cursor.accept("!");
  const Token name = cursor.peek();
  guard.predicate = OperandParser(context, function, "@")
                        .parseRegister("a predicate after '@'");
  if (function.registers[guard.predicate.index].type != Type::pred)
    cursor.fail(name.position, "the guard '" + std::string(name.text) +
                                   "' is not a register of type .pred");
  return guard;
}

} // namespace ashlar::sim::ptx
