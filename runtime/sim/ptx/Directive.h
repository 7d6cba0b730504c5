// Directives that stand in a module and in the body of a function alike.
#pragma once

#include "runtime/sim/ptx/Context.h"

namespace ashlar::sim::ptx {

/// After `.loc`: the line, as `1 21 9, function_name $L__info_string0,
/// inlined_at 1 36 20`; where the function was inlined to is left out.
SourceLine parseLocation(Context &context);

/// After `.file`: `1 "gemm.cpp", 1700000000, 4711` goes to Module::files.
void parseFile(Context &context);

/// After `.pragma`: `"nounroll";` means nothing to a simulator.
void skipPragma(Context &context);

/// After `.section`: DWARF, to its '}'.
void skipSection(Context &context);

struct LinkedSpace {
  StateSpace space = StateSpace::global;
  bool isExternal = false;
};

/// The token that was passed, and what follows, as the start of the declaration
/// of variables: `.extern .shared`. None, with nothing passed, if it is not.
std::optional<LinkedSpace> parseLinkedSpace(Context &context,
                                            const Token &token);

/// Whether the token is .extern, .visible, .weak or .common.
bool isLinkage(const Token &token);

/// Whether the token is a directive that stands outside of functions.
bool startsStatement(const Token &token);

/// "'.foo' is not a directive that is known", or that it is, but not `place`:
/// "in the body of a function".
[[noreturn]] void failUnknownDirective(const Context &context,
                                       const Token &token,
                                       const std::string &place);

} // namespace ashlar::sim::ptx
