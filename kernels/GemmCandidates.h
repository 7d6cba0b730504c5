// The configurations among which the model and the tuner choose.
#pragma once

#include "ashlar/gemm.h"

#include <functional>

namespace ashlar {

using GemmVisitor = std::function<void(const GemmConfig &)>;

/// Calls `visit` with every sensible configuration for a problem, each of which
/// can be built.
void visitCandidates(const GemmSizes &sizes, const GemmTypes &types,
                     const GemmForm &form, const GemmVisitor &visit);

} // namespace ashlar
