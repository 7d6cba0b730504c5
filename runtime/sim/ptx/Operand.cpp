#include "runtime/sim/ptx/Operand.h"

#include "runtime/sim/ptx/Special.h"

#include <algorithm>

namespace ashlar::sim::ptx {

Operand makeOperand(Operand::Kind kind, Position position) {
  Operand operand;
  operand.kind = kind;
  operand.position = position;
  return operand;
}

Operand OperandParser::parse() {
  // Within the list, parentheses are those of a constant.
  if (cursor.atPunctuation("(") && syntax.hasLists)
    return parseList(")", Operand::Kind::list);
  return parseElement();
}

Operand OperandParser::parseElement() {
  Operand first = parseSingle();
  if (!cursor.atPunctuation("|"))
    return first;
  Operand pair = makeOperand(Operand::Kind::pair, first.position);
  cursor.take();
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(parseSingle());
  return pair;
}

Operand OperandParser::parseSingle() {
  const Cursor::Nesting nesting(cursor);
  if (cursor.atPunctuation("{"))
    return parseList("}", Operand::Kind::vector);
  if (cursor.atPunctuation("["))
    return parseAddress();
  if (cursor.atPunctuation("!"))
    return parseNegated();
  if (startsConstant(cursor))
    return parseConstantOperand();
  if (cursor.atIdentifier())
    return parseName();
  cursor.failExpected("an operand");
}

Operand OperandParser::parseList(std::string_view close, Operand::Kind kind) {
  Operand list = makeOperand(kind, cursor.take().position);
  // Only a call's list can be empty.
  if (kind == Operand::Kind::list && cursor.accept(close))
    return list;
  do
    list.elements.push_back(parseElement());
  while (cursor.accept(","));
  cursor.expect(close, "after the operands");
  return list;
}

Operand OperandParser::parseNegated() {
  const Position position = cursor.take().position;
  if (startsConstant(cursor)) {
    const Constant value = parseConstantTerm(cursor);
    Operand operand = makeOperand(Operand::Kind::integer, position);
    operand.integer = static_cast<int64_t>(applyUnary(cursor, "!", value).bits);
    return operand;
  }
  Operand operand = makeOperand(Operand::Kind::registerUse, position);
  operand.registerUse = parseRegister("a predicate after '!'");
  operand.negated = true;
  return operand;
}

Operand OperandParser::parseConstantOperand() {
  const Constant value = parseConstant(cursor);
  Operand operand = makeOperand(value.isInteger() ? Operand::Kind::integer
                                : value.kind == Constant::Kind::real32
                                    ? Operand::Kind::real32
                                    : Operand::Kind::real64,
                                value.position);
  operand.integer = static_cast<int64_t>(value.bits);
  return operand;
}

Operand OperandParser::parseName() {
  const Token name = cursor.take();
  if (name.text == "_")
    return makeOperand(Operand::Kind::sink, name.position);
  const auto entity = context.names.find(name.text);
  if (entity && entity->kind == Entity::Kind::registerName)
    return parseRegisterUse(name, entity->index);
  if (entity && entity->kind == Entity::Kind::symbol) {
    Operand operand = parseSymbol(*entity);
    operand.position = name.position;
    return operand;
  }
  if (!entity && name.text[0] == '%') {
    if (const Special *special = specialNamed(name.text))
      return parseSpecial(name, *special);
    failUndeclared(name);
  }
  // A label, maybe one that follows, or one that an inner scope's hides later.
  Operand operand = makeOperand(Operand::Kind::name, name.position);
  operand.text = name.text;
  operand.integer = -1;
  unresolved = true;
  return operand;
}

RegisterUse OperandParser::parseRegister(const std::string &what) {
  const Token name = cursor.expectIdentifier(what);
  const auto entity = context.names.find(name.text);
  if (!entity)
    failUndeclared(name);
  if (entity->kind != Entity::Kind::registerName)
    cursor.fail(name.position, "expected " + what + "; '" +
                                   std::string(name.text) +
                                   "' is not a register");
  return parseUse(name, entity->index);
}

// A vector register without a component is the vector of its components.
Operand OperandParser::parseRegisterUse(const Token &name, uint32_t index) {
  const uint8_t length = function.registers[index].vector;
  Operand operand = makeOperand(Operand::Kind::registerUse, name.position);
  operand.registerUse.index = index;
  if (cursor.atDotted()) {
    operand.registerUse.component = parseComponent(name, length);
    return operand;
  }
  if (length == 1) {
    if (cursor.atPunctuation("+") || cursor.atPunctuation("-"))
      cursor.fail(cursor.peek().position,
                  "a constant is added to a register in an address only; use "
                  "'add' before this instruction");
    return operand;
  }
  Operand vector = makeOperand(Operand::Kind::vector, name.position);
  for (uint8_t i = 0; i < length; ++i) {
    Operand element = makeOperand(Operand::Kind::registerUse, name.position);
    element.registerUse = {index, i};
    vector.elements.push_back(std::move(element));
  }
  return vector;
}

Operand OperandParser::parseSpecial(const Token &name, const Special &special) {
  Operand operand = makeOperand(Operand::Kind::special, name.position);
  operand.text = name.text;
  operand.special = &special;
  operand.integer = -1;
  if (!cursor.atDotted())
    return operand;
  const Token component = cursor.take();
  constexpr std::string_view names = "xyzw";
  const size_t index = component.text.size() == 1
                           ? names.find(component.text[0])
                           : std::string_view::npos;
  if (!special.isVector || index == std::string_view::npos)
    cursor.fail(component.position, "'" + operand.text +
                                        "' has no component '." +
                                        std::string(component.text) + "'");
  operand.text += "." + std::string(component.text);
  operand.integer = static_cast<int64_t>(index);
  return operand;
}

RegisterUse OperandParser::parseUse(const Token &name, uint32_t index) {
  RegisterUse base;
  base.index = index;
  if (cursor.atDotted())
    base.component = parseComponent(name, function.registers[index].vector);
  return base;
}

uint8_t OperandParser::parseComponent(const Token &name, uint8_t length) {
  const Token token = cursor.take();
  constexpr std::string_view coordinates = "xyzw", colours = "rgba";
  size_t component = std::string_view::npos;
  if (token.text.size() == 1)
    component =
        std::min(coordinates.find(token.text[0]), colours.find(token.text[0]));
  if (component == std::string_view::npos)
    cursor.fail(token.position, "'." + std::string(token.text) +
                                    "' is not a component of a vector; these "
                                    "are .x .y .z .w or .r .g .b .a");
  if (length == 1 || component >= length)
    cursor.fail(token.position,
                "register '" + std::string(name.text) + "' has " +
                    (length == 1
                         ? "no components"
                         : "only " + std::to_string(length) + " components"));
  return static_cast<uint8_t>(component);
}

void OperandParser::failUndeclared(const Token &name) const {
  cursor.fail(name.position, (name.text[0] == '%' ? "register '" : "'") +
                                 std::string(name.text) + "' is not declared");
}

} // namespace ashlar::sim::ptx
