// The parts that declarations of variables, registers and parameters share.
#pragma once

#include "runtime/sim/ptx/Context.h"

namespace ashlar::sim::ptx {

/// What stands before the names of a declaration: `.align 8 .v4 .f32`.
struct Prefix {
  Type type = Type::b32;
  uint8_t vector = 1;
  uint64_t alignment = 0; // 0 if not given
};

Prefix parsePrefix(Context &context);

/// `[4][2]`; a first dimension of 0 stands for `[]`.
std::vector<uint64_t> parseDimensions(Cursor &cursor);

/// Sets the elements of the variable; fails if it gets too large.
void countElements(const Context &context, Variable &variable,
                   const std::vector<uint64_t> &dimensions);

/// The variable without its dimensions. A register that is a parameter has the
/// space generic.
Variable makeVariable(const Context &context, const Token &name,
                      StateSpace space, const Prefix &prefix);

/// After the prefix of names `x<5>`: fails if the scope has such names.
/// Returns how many there are, at most `maximum`.
uint32_t parseFamilyCount(Context &context, const Token &prefix,
                          uint64_t maximum);

/// "%r4" of `%r<5>`.
std::string memberName(const Token &prefix, uint32_t number);

/// Whether the token is the directive of a state space in which variables are
/// declared: .const .global .local .param .shared.
std::optional<StateSpace> variableSpace(const Token &token);

/// After `.attribute`: `(.managed, .unified(1, 2))`, which mean nothing to a
/// simulator that has one memory.
void skipAttributes(Context &context);

} // namespace ashlar::sim::ptx
