// Machine code as text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace ashlar::tooling {

/// The SASS of a cubin, by nvdisasm or cuobjdump of the CUDA toolkit, which are
/// looked for beside ptxas and in the PATH. Throws `Error` without them.
std::string disassemble(std::span<const std::byte> cubin);

} // namespace ashlar::tooling
