// How a benchmark's kernels are compiled.
#pragma once

#include "ashlar/compile.h"
#include "compiler/driver/Assemble.h"

namespace ashlar::bench {

/// Without an assembler the driver compiles the PTX.
inline CompileOptions assembledIfPossible() {
  CompileOptions options;
  options.assemble = !compiler::findPtxas().empty();
  return options;
}

} // namespace ashlar::bench
