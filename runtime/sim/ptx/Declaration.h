// Declarations of variables, registers and parameters (PTX ISA, section 5.4).
#pragma once

#include "runtime/sim/ptx/Context.h"

namespace ashlar::sim::ptx {

/// After `.global` and so on: the rest of a declaration, with its ';'. Adds the
/// variables to `variables`, which `kind` says the names' place of.
void parseVariables(Context &context, StateSpace space, bool isExternal,
                    SymbolUse::Kind kind, std::vector<Variable> &variables);

/// After `.reg`: the rest of a declaration, with its ';'.
void parseRegisters(Context &context, Function &function);

/// After '(': the parameters of a function, or with kind result its results,
/// with the ')'. Returns their names, which are not declared yet.
std::vector<Token> parseParameters(Context &context, SymbolUse::Kind kind,
                                   Function &function);

/// Declares the names of the parameters in the scope of the body.
void declareParameters(Context &context, SymbolUse::Kind kind,
                       Function &function, const std::vector<Token> &names);

/// After a declarator's '=': fills image and addresses. `dimensions` are those
/// of the variable, the vector's last; the first is 0 if it is to be counted,
/// and counted after.
void parseInitialiser(Context &context, Variable &variable,
                      std::vector<uint64_t> &dimensions);

} // namespace ashlar::sim::ptx
