// What the compiler made, in a few lines.
#pragma once

#include "ashlar/compilation.h"

#include <string>

namespace ashlar::tooling {

/// Registers, spills, shared memory, stages, roles and the time of each step.
std::string summarize(const Compilation &compiled);

/// Writes the PTX next to the running program, or, where that can't be done,
/// into the cache; returns the path, or why there is none in parentheses.
std::string writePtx(const Artifact &artifact);

} // namespace ashlar::tooling
