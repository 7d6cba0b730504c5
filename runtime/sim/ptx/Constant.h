// Constants and the operators on them (PTX ISA, section 4.5).
#pragma once

#include "runtime/sim/ptx/Cursor.h"

namespace ashlar::sim::ptx {

/// A constant: an integer, typed .s64 or .u64, or a real number.
struct Constant {
  enum class Kind : uint8_t { s64, u64, real32, real64 };
  Kind kind = Kind::s64;
  uint64_t bits = 0;
  Position position;

  bool isInteger() const { return kind == Kind::s64 || kind == Kind::u64; }
  bool isNegative() const {
    return kind == Kind::s64 && static_cast<int64_t>(bits) < 0;
  }
};

/// Whether the next token can start a constant.
bool startsConstant(const Cursor &cursor);

/// Parses a constant expression.
Constant parseConstant(Cursor &cursor);

/// Parses a constant expression without `+` and `-` outside of parentheses: a
/// term of the offset in `symbol+4*2-1`.
Constant parseConstantTerm(Cursor &cursor);

/// Parses a constant expression that is an integer from 0 to `maximum`; `what`
/// is "the size of an array".
uint64_t parseCount(Cursor &cursor, uint64_t maximum, const std::string &what);

/// Parses any `+4-8*2` that follows a symbol or a register: their sum, which
/// wraps.
int64_t parseOffset(Cursor &cursor);

/// `-a`, `+a`, `!a`, `~a`. Fails where the operator does not take the type.
Constant applyUnary(const Cursor &cursor, std::string_view operation,
                    Constant operand);

/// `a + b` and so on, for every operator of two operands. Fails where the
/// operator does not take the types, or divides by zero.
Constant applyBinary(const Cursor &cursor, std::string_view operation,
                     const Constant &left, const Constant &right);

} // namespace ashlar::sim::ptx
