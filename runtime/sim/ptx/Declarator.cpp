#include "runtime/sim/ptx/Declarator.h"

#include <bit>

namespace ashlar::sim::ptx {

namespace {

uint8_t vectorLength(std::string_view text) {
  return text == "v2" ? 2 : text == "v4" ? 4 : text == "v8" ? 8 : 0;
}

uint64_t parseAlignment(Cursor &cursor) {
  const Position position = cursor.peek().position;
  const uint64_t alignment =
      parseCount(cursor, limit::alignment, "an alignment");
  if (!std::has_single_bit(alignment))
    cursor.fail(position, "an alignment has to be a power of two, not " +
                              std::to_string(alignment));
  return alignment;
}

// `.ptr .global .align 16` says what a kernel's pointer leads to; nothing
// depends on it.
void skipPointer(Cursor &cursor) {
  if (variableSpace(cursor.peek()))
    cursor.take();
  if (cursor.acceptDotted("align"))
    parseAlignment(cursor);
}

Type parseType(const Cursor &cursor, const Token &token) {
  if (const auto type = typeNamed(token.text))
    return *type;
  const std::string text(token.text);
  if (text == "texref" || text == "samplerref" || text == "surfref")
    cursor.fail(token.position, "'." + text +
                                    "' is not supported: the simulator has no "
                                    "textures and surfaces");
  cursor.fail(token.position, "'." + text + "' is not a type that is known");
}

} // namespace

Prefix parsePrefix(Context &context) {
  Cursor &cursor = context.cursor;
  Prefix prefix;
  bool typed = false;
  while (cursor.atDotted()) {
    const Token token = cursor.take();
    if (token.text == "align")
      prefix.alignment = parseAlignment(cursor);
    else if (token.text == "attribute")
      skipAttributes(context);
    else if (token.text == "ptr" && typed)
      skipPointer(cursor);
    else if (const uint8_t length = vectorLength(token.text))
      prefix.vector = length;
    else if (typed)
      cursor.fail(token.position, "'." + std::string(token.text) +
                                      "' can't stand in this declaration");
    else {
      prefix.type = parseType(cursor, token);
      typed = true;
    }
  }
  if (!typed)
    cursor.failExpected("a type");
  return prefix;
}

std::vector<uint64_t> parseDimensions(Cursor &cursor) {
  std::vector<uint64_t> dimensions;
  while (cursor.accept("[")) {
    const Position position = cursor.peek().position;
    uint64_t size = 0;
    if (!cursor.atPunctuation("]")) {
      size = parseCount(cursor, limit::variableBytes, "the size of an array");
      if (size == 0)
        cursor.fail(position, "an array can't have the size 0");
    } else if (!dimensions.empty()) {
      cursor.fail(position, "only the first size of an array can be left out");
    }
    cursor.expect("]", "after the size of an array");
    dimensions.push_back(size);
  }
  return dimensions;
}

void countElements(const Context &context, Variable &variable,
                   const std::vector<uint64_t> &dimensions) {
  const uint64_t maximum = limit::variableBytes / (uint64_t{variable.vector} *
                                                   sizeBytes(variable.type));
  variable.elements = 1;
  for (uint64_t size : dimensions)
    if (__builtin_mul_overflow(variable.elements, size, &variable.elements) ||
        variable.elements > maximum)
      context.cursor.fail(variable.position,
                          "'" + variable.name + "' has more than " +
                              std::to_string(limit::variableBytes) + " bytes");
}

Variable makeVariable(const Context &context, const Token &name,
                      StateSpace space, const Prefix &prefix) {
  Variable variable;
  variable.name = name.text;
  variable.position = name.position;
  variable.space = space;
  variable.type = prefix.type;
  variable.vector = prefix.vector;
  const uint64_t natural = uint64_t{prefix.vector} * sizeBytes(prefix.type);
  variable.alignment = std::max(prefix.alignment, natural);
  if (prefix.type == Type::pred && space != StateSpace::generic)
    context.cursor.fail(name.position, "'" + variable.name +
                                           "' is a predicate; predicates are "
                                           "registers only");
  return variable;
}

std::optional<StateSpace> variableSpace(const Token &token) {
  if (token.kind != Token::Kind::dotted)
    return std::nullopt;
  if (token.text == "const")
    return StateSpace::constant;
  if (token.text == "global")
    return StateSpace::global;
  if (token.text == "local")
    return StateSpace::local;
  if (token.text == "param")
    return StateSpace::parameter;
  if (token.text == "shared")
    return StateSpace::shared;
  return std::nullopt;
}

void skipAttributes(Context &context) {
  Cursor &cursor = context.cursor;
  cursor.expect("(", "after '.attribute'");
  do {
    if (!cursor.atDotted("managed") && !cursor.atDotted("unified"))
      cursor.failExpected("the attribute .managed or .unified");
    cursor.take();
    if (!cursor.accept("("))
      continue;
    do
      parseConstant(cursor);
    while (cursor.accept(","));
    cursor.expect(")", "after the attribute's values");
  } while (cursor.accept(","));
  cursor.expect(")", "after the attributes");
}

} // namespace ashlar::sim::ptx
