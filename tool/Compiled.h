// The compiled kernel, from the cache or from the compiler.
#pragma once

#include "ashlar/compilation.h"
#include "ashlar/kernel.h"
#include "tool/CommandLine.h"

namespace ashlar::tooling {

/// What is needed of the compilation, beyond the PTX.
enum class Need {
  artifact, ///< the machine code; may come from the cache
  report,   ///< also the time of each step
  levels,   ///< the text of each level, and no machine code
  simulated ///< PTX with what the author expects, and no machine code
};

/// Compiles the kernel, and says on the error stream what the compiler remarks.
/// Without an assembler the artifact has no machine code.
Compilation compileFor(Need need, const Kernel &kernel, const Request &request);

} // namespace ashlar::tooling
