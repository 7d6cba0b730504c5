// Kernels and functions (PTX ISA, sections 5.1 and 11.2 to 11.5).
#pragma once

#include "runtime/sim/ptx/Context.h"

namespace ashlar::sim::ptx {

/// After `.entry` or `.func`: the rest of a declaration or definition. `start`
/// is the first token of it, its linkage.
void parseFunction(Context &context, bool isEntry, const Token &start);

/// After `.alias`: `a, b;`.
void parseAlias(Context &context);

/// The index of the function that the name which is next stands for.
uint32_t parseFunctionName(Context &context);

/// After `.callprototype`: `(results) _ (parameters) .noreturn`, which says
/// nothing that the callee does not.
void skipPrototype(Context &context);

} // namespace ashlar::sim::ptx
