#include "runtime/sim/ptx/Constant.h"

#include <array>
#include <utility>

namespace ashlar::sim::ptx {

namespace {

// Binding power, as in C; the additive operators are named because an offset
// is split at them.
constexpr int additive = 9;
constexpr int multiplicative = 10;
constexpr std::array<std::pair<std::string_view, int>, 18> precedences = {{
    {"||", 1},
    {"&&", 2},
    {"|", 3},
    {"^", 4},
    {"&", 5},
    {"==", 6},
    {"!=", 6},
    {"<", 7},
    {">", 7},
    {"<=", 7},
    {">=", 7},
    {"<<", 8},
    {">>", 8},
    {"+", additive},
    {"-", additive},
    {"*", multiplicative},
    {"/", multiplicative},
    {"%", multiplicative},
}};

// 0 if the next token is no operator of two operands.
int precedence(const Cursor &cursor) {
  if (cursor.peek().kind == Token::Kind::punctuation)
    for (const auto &[operation, power] : precedences)
      if (operation == cursor.peek().text)
        return power;
  return 0;
}

Constant literal(const Token &token) {
  using TokenKind = Token::Kind;
  using Kind = Constant::Kind;
  const Kind kind = token.kind == TokenKind::real32   ? Kind::real32
                    : token.kind == TokenKind::real64 ? Kind::real64
                    : token.isUnsigned                ? Kind::u64
                                                      : Kind::s64;
  return {kind, token.bits, token.position};
}

bool isLiteral(const Token &token) {
  return token.kind == Token::Kind::integer ||
         token.kind == Token::Kind::real32 || token.kind == Token::Kind::real64;
}

Constant parseUnary(Cursor &cursor);

// After the '(': a cast `(.s64) a`, or an expression.
Constant parseParenthesized(Cursor &cursor) {
  if (!cursor.atDotted()) {
    Constant value = parseConstant(cursor);
    cursor.expect(")", "after the expression");
    return value;
  }
  const Token type = cursor.take();
  if (type.text != "s64" && type.text != "u64")
    cursor.fail(type.position,
                "a constant is cast to .s64 or .u64, not to another type");
  cursor.expect(")", "after the type of a cast");
  Constant value = parseUnary(cursor);
  if (!value.isInteger())
    cursor.fail(value.position, "a real number can't be cast");
  value.kind = type.text == "s64" ? Constant::Kind::s64 : Constant::Kind::u64;
  return value;
}

Constant parseUnary(Cursor &cursor) {
  const Cursor::Nesting nesting(cursor);
  const Token token = cursor.peek();
  if (isLiteral(token)) {
    cursor.take();
    return literal(token);
  }
  if (cursor.atIdentifier() && token.text == "WARP_SZ") {
    cursor.take();
    return {Constant::Kind::s64, 32, token.position};
  }
  if (cursor.accept("("))
    return parseParenthesized(cursor);
  for (std::string_view operation : {"-", "+", "!", "~"})
    if (cursor.accept(operation)) {
      Constant value = applyUnary(cursor, operation, parseUnary(cursor));
      value.position = token.position;
      return value;
    }
  cursor.failExpected("a constant");
}

Constant parseBinary(Cursor &cursor, int lowest) {
  Constant left = parseUnary(cursor);
  for (;;) {
    cursor.splitPercent();
    const int power = precedence(cursor);
    if (power == 0 || power < lowest)
      return left;
    const Token operation = cursor.take();
    const Constant right = parseBinary(cursor, power + 1);
    left = applyBinary(cursor, operation.text, left, right);
  }
}

} // namespace

bool startsConstant(const Cursor &cursor) {
  const Token &token = cursor.peek();
  return isLiteral(token) || cursor.atPunctuation("(") ||
         cursor.atPunctuation("-") || cursor.atPunctuation("+") ||
         cursor.atPunctuation("~") || cursor.atPunctuation("!") ||
         (cursor.atIdentifier() && token.text == "WARP_SZ");
}

Constant parseConstant(Cursor &cursor) {
  const Cursor::Nesting nesting(cursor);
  const Constant condition = parseBinary(cursor, 1);
  if (!cursor.accept("?"))
    return condition;
  const Constant yes = parseConstant(cursor);
  cursor.expect(":", "between the two values of '?'");
  const Constant no = parseConstant(cursor);
  for (const Constant &value : {condition, yes, no})
    if (!value.isInteger())
      cursor.fail(value.position, "the operator '?' takes integers only");
  Constant chosen = condition.bits != 0 ? yes : no;
  if (yes.kind == Constant::Kind::u64 || no.kind == Constant::Kind::u64)
    chosen.kind = Constant::Kind::u64;
  return chosen;
}

Constant parseConstantTerm(Cursor &cursor) {
  return parseBinary(cursor, multiplicative);
}

uint64_t parseCount(Cursor &cursor, uint64_t maximum, const std::string &what) {
  const Constant value = parseConstant(cursor);
  if (!value.isInteger())
    cursor.fail(value.position, what + " has to be an integer");
  if (value.isNegative())
    cursor.fail(value.position, what + " can't be negative");
  if (value.bits > maximum)
    cursor.fail(value.position, what + " is " + std::to_string(value.bits) +
                                    "; the limit is " +
                                    std::to_string(maximum));
  return value.bits;
}

int64_t parseOffset(Cursor &cursor) {
  uint64_t sum = 0;
  while (cursor.atPunctuation("+") || cursor.atPunctuation("-")) {
    const bool minus = cursor.take().text == "-";
    const Constant term = parseConstantTerm(cursor);
    if (!term.isInteger())
      cursor.fail(term.position, "an offset has to be an integer");
    sum = minus ? sum - term.bits : sum + term.bits;
  }
  return static_cast<int64_t>(sum);
}

} // namespace ashlar::sim::ptx
