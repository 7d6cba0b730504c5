// PTX ISA, section 4.5.6: the types that the operators take and give. An
// integer never becomes a real number or the reverse.
#include "runtime/sim/ptx/Constant.h"

#include <bit>
#include <limits>

namespace ashlar::sim::ptx {

namespace {

using Kind = Constant::Kind;

std::string quoted(std::string_view operation) {
  return "the operator '" + std::string(operation) + "' ";
}

Constant integer(const Constant &at, bool isUnsigned, uint64_t bits) {
  return {isUnsigned ? Kind::u64 : Kind::s64, bits, at.position};
}

Constant truth(const Constant &at, bool value) {
  return integer(at, false, value ? 1 : 0);
}

template <typename Number>
bool compare(std::string_view operation, Number a, Number b) {
  return operation == "<"    ? a < b
         : operation == ">"  ? a > b
         : operation == "<=" ? a <= b
         : operation == ">=" ? a >= b
         : operation == "==" ? a == b
                             : a != b;
}

bool isComparison(std::string_view operation) {
  return operation == "<" || operation == ">" || operation == "<=" ||
         operation == ">=" || operation == "==" || operation == "!=";
}

// The count is taken modulo 64, as ptxas does; >> of a signed number keeps the
// sign.
uint64_t shift(std::string_view operation, const Constant &value,
               uint64_t count) {
  count &= 63;
  if (operation == "<<")
    return value.bits << count;
  if (value.kind == Kind::s64)
    return static_cast<uint64_t>(static_cast<int64_t>(value.bits) >> count);
  return value.bits >> count;
}

uint64_t divideSigned(int64_t a, int64_t b) {
  // The one quotient that does not fit wraps.
  if (b == -1)
    return 0 - static_cast<uint64_t>(a);
  return static_cast<uint64_t>(a / b);
}

Constant applyReal(const Cursor &cursor, std::string_view operation,
                   const Constant &left, const Constant &right) {
  const auto a = std::bit_cast<double>(left.bits);
  const auto b = std::bit_cast<double>(right.bits);
  if (isComparison(operation))
    return truth(left, compare(operation, a, b));
  double value = 0;
  if (operation == "+")
    value = a + b;
  else if (operation == "-")
    value = a - b;
  else if (operation == "*")
    value = a * b;
  else if (operation != "/")
    cursor.fail(right.position, quoted(operation) + "takes integers only");
  else if (b == 0)
    cursor.fail(right.position, "this divides by zero");
  else
    value = a / b;
  return {Kind::real64, std::bit_cast<uint64_t>(value), left.position};
}

Constant applyInteger(const Cursor &cursor, std::string_view operation,
                      const Constant &left, const Constant &right) {
  const uint64_t a = left.bits, b = right.bits;
  const auto signedA = static_cast<int64_t>(a),
             signedB = static_cast<int64_t>(b);
  const bool isUnsigned = left.kind == Kind::u64 || right.kind == Kind::u64;
  if ((operation == "/" || operation == "%") && b == 0)
    cursor.fail(right.position, "this divides by zero");
  if (isComparison(operation))
    return truth(left, isUnsigned ? compare(operation, a, b)
                                  : compare(operation, signedA, signedB));
  if (operation == "&&")
    return truth(left, a != 0 && b != 0);
  if (operation == "||")
    return truth(left, a != 0 || b != 0);
  if (operation == "<<" || operation == ">>")
    return integer(left, left.kind == Kind::u64, shift(operation, left, b));
  if (operation == "%") // unsigned whatever the operands are
    return integer(left, isUnsigned, a % b);
  if (operation == "/")
    return integer(left, isUnsigned,
                   isUnsigned ? a / b : divideSigned(signedA, signedB));
  return integer(left, isUnsigned,
                 operation == "+"   ? a + b
                 : operation == "-" ? a - b
                 : operation == "*" ? a * b
                 : operation == "&" ? (a & b)
                 : operation == "|" ? (a | b)
                                    : a ^ b);
}

} // namespace

Constant applyUnary(const Cursor &cursor, std::string_view operation,
                    Constant operand) {
  if (operand.kind == Kind::real32)
    cursor.fail(operand.position,
                "a number written as 0f and digits takes no operator");
  if (operation == "+")
    return operand;
  if (operand.kind == Kind::real64) {
    if (operation != "-")
      cursor.fail(operand.position, quoted(operation) + "takes an integer");
    operand.bits ^= uint64_t{1} << 63;
    return operand;
  }
  if (operation == "!")
    return truth(operand, operand.bits == 0);
  if (operation == "~")
    return integer(operand, true, ~operand.bits);
  operand.bits = 0 - operand.bits;
  return operand;
}

Constant applyBinary(const Cursor &cursor, std::string_view operation,
                     const Constant &left, const Constant &right) {
  if (left.kind == Kind::real32 || right.kind == Kind::real32)
    cursor.fail(left.kind == Kind::real32 ? left.position : right.position,
                "a number written as 0f and digits takes no operator");
  if (left.isInteger() != right.isInteger())
    cursor.fail(right.position,
                quoted(operation) +
                    "does not mix an integer with a real number");
  return left.isInteger() ? applyInteger(cursor, operation, left, right)
                          : applyReal(cursor, operation, left, right);
}

} // namespace ashlar::sim::ptx
