#pragma once

#include "ashlar/compilation.h"
#include "ashlar/kernel.h"

namespace ashlar {

/// Compiles a kernel for sm_90a. Throws the kernel's mistake, or the first one
/// that a pass finds.
Compilation compile(const Kernel &kernel, const CompileOptions &options = {});

} // namespace ashlar
