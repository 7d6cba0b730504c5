// What a compiled kernel is stored under.
#pragma once

#include "ashlar/compilation.h"

#include <optional>
#include <string>

namespace ashlar::tooling {

/// The digest of all that determines the code: the program with its source
/// lines, this compiler, LLVM, the assembler, the options. Nothing when the
/// program was linked without a build id, since then the compiler is not known.
std::optional<std::string> cacheKey(const std::string &tileIr,
                                    const CompileOptions &options);

} // namespace ashlar::tooling
