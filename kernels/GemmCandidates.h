// The configurations among which the model and the tuner choose.
#pragma once

#include "ashlar/gemm.h"

#include <functional>
#include <string>

namespace ashlar {

using GemmVisitor = std::function<void(const GemmConfig &)>;

/// Calls `visit` with every sensible configuration for a problem, each of which
/// can be built; with none for what `notTypes` and `notProblem` name.
void visitCandidates(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmForm &form, const GemmVisitor &visit);

/// Why nothing multiplies these types in this form, in a sentence; empty if
/// something does.
std::string notTypes(const GemmTypes &types, const GemmForm &form);

/// Why sizes are of no problem of this form, in a sentence; empty if they are.
std::string notProblem(const GemmSizes &sizes, const GemmTypes &types,
                       const GemmForm &form);

/// Which rows do not begin where the layout says, in a sentence; empty if all
/// do.
std::string notAligned(const GemmSizes &sizes, const GemmTypes &types);

} // namespace ashlar
