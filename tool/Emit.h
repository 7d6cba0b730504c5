// --emit: the program at one level.
#pragma once

#include "ashlar/kernel.h"
#include "tool/CommandLine.h"

namespace ashlar::tooling {

/// Writes the level `request.emit` to `request.output` or standard output.
void emit(const Kernel &kernel, const Request &request);

} // namespace ashlar::tooling
