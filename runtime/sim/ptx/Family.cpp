// Names by the number: `%r<5>` (PTX ISA, section 5.4.6).
#include "runtime/sim/ptx/Declarator.h"

namespace ashlar::sim::ptx {

namespace {

void requireNewFamily(const Context &context, const Token &prefix) {
  if (const auto first = context.names.findFamilyHere(prefix.text))
    context.cursor.fail(prefix.position,
                        "the names '" + std::string(prefix.text) +
                            "<N>' are declared twice in this scope (first at "
                            "line " +
                            std::to_string(first->position.line) + ")");
}

} // namespace

uint32_t parseFamilyCount(Context &context, const Token &prefix,
                          uint64_t maximum) {
  Cursor &cursor = context.cursor;
  requireNewFamily(context, prefix);
  cursor.expect("<", "after the prefix of the names");
  // Not an expression: that would take the '>' for an operator.
  if (cursor.peek().kind != Token::Kind::integer)
    cursor.failExpected("the number of names");
  const Token count = cursor.take();
  if (count.bits > maximum)
    cursor.fail(count.position,
                "the number of names is " + std::to_string(count.bits) +
                    "; the limit is " + std::to_string(maximum));
  cursor.expect(">", "after the number of names");
  context.countFamily(count.bits, count.position);
  return static_cast<uint32_t>(count.bits);
}

std::string memberName(const Token &prefix, uint32_t number) {
  return std::string(prefix.text) + std::to_string(number);
}

} // namespace ashlar::sim::ptx
